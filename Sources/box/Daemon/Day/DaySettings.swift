import SoundboxCore
import SoundboxSystem
import SoundboxYAML

/// How the shop divides its time into days: `day:`.
package struct DaySettings: Sendable, Equatable {
    /// When a business day begins, in minutes after midnight.
    package var cutOver = 0
    /// A name of the time zone database; `nil` for the machine's own zone.
    package var timeZone: String?
    /// When the day's takings are announced automatically, in minutes after midnight; `nil` for never.
    package var announceAt: Int?
}

extension DaySettings {
    init(reading mapping: YAMLMapping) throws(YAMLError) {
        cutOver = try mapping.read("cut_over") { try $0.minuteOfDay() } ?? 0
        timeZone = try mapping.read("time_zone") { try $0.timeZone() }
        announceAt = try mapping.read("announce_at") { try $0.minuteOfDay() }
        try mapping.refuseOtherKeys()
        if announceAt == cutOver, let value = mapping.optional("announce_at") {
            throw value.error("the day has just begun at its cut-over; expected a time before it, such as 23:59")
        }
    }
}

extension YAMLValue {
    /// `Asia/Shanghai`. Whether the zone exists shows when it is used.
    fileprivate func timeZone() throws(YAMLError) -> String {
        let text = try string()
        guard ProcessTimeZone.isName(text) else {
            throw error("expected a time zone such as Asia/Shanghai\(found(text))")
        }
        mayBeShown()
        return text
    }
}
