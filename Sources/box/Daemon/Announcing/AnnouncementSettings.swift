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

/// What to do with a ring that comes before another one has ended: `ring:`.
package struct RingSettings: Sendable, Equatable {
    package enum Second: String, Sendable, CaseIterable {
        /// It rings when the first one has ended, if it has not expired by then.
        case wait
        /// It is refused.
        case busy
    }

    package var second = Second.wait
}

/// What commands may have spoken: `say:`.
package struct SaySettings: Sendable, Equatable {
    /// What makes speech of text without recordings.
    package enum Synthesizer: String, Sendable, CaseIterable {
        /// If it is installed.
        case espeak = "espeak-ng"
        case none
    }

    /// A command that has not been spoken this long after it was sent is not spoken at all.
    package var expireAfter = Duration.minutes(5)
    package var synthesizer = Synthesizer.espeak
}

extension RingSettings {
    init(reading mapping: YAMLMapping) throws(YAMLError) {
        second = try mapping.read("second") { try $0.choice(of: Second.self) } ?? second
        try mapping.refuseOtherKeys()
    }
}

extension SaySettings {
    init(reading mapping: YAMLMapping) throws(YAMLError) {
        expireAfter = try mapping.read("expire_after") { try $0.duration(in: .seconds(10) ... .days(1)) } ?? expireAfter
        synthesizer = try mapping.read("synthesizer") { try $0.choice(of: Synthesizer.self) } ?? synthesizer
        try mapping.refuseOtherKeys()
    }
}
