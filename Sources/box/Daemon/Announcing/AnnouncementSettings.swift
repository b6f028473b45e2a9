import SoundboxCore
import SoundboxYAML

/// `announce:`, without what is read by the features that share it.
package struct AnnouncementSettings: Sendable, Equatable {
    package var freshness = FreshnessPolicy(expireAfter: .minutes(10))
    /// The currency of a notice that names none.
    package var currency = Currency.CNY
    /// If more notices than this wait, the current one included, they are spoken without chime and with a shorter gap;
    /// `nil` for never.
    package var hurryAbove: Int?
}

extension AnnouncementSettings {
    init(reading announce: YAMLMapping) throws(YAMLError) {
        freshness = FreshnessPolicy(
            expireAfter: try announce.read("expire_after") { try $0.duration(in: .seconds(10) ... .days(7)) }
                ?? freshness.expireAfter,
            late: try announce.read("late") { try $0.choice(of: LatePayments.self) } ?? .summarise)
        currency = try announce.read("currency") { try $0.currency() } ?? currency
        hurryAbove = try announce.read("hurry_above") { try $0.integer(in: 1...1000) }
    }
}
