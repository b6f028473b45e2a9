import SoundboxCore
import SoundboxSystem
import SoundboxYAML

extension Configuration {
    /// How the shop divides its time into days.
    public struct Day: Sendable, Equatable {
        /// When a business day begins, in minutes after midnight.
        public var cutOver: Int
        /// A name of the time zone database; `nil` for the machine's own.
        public var timeZone: String?
        /// When the day's takings are told by themselves, in minutes after midnight; `nil` never.
        public var announceAt: Int?

        public init(cutOver: Int = 0, timeZone: String? = nil, announceAt: Int? = nil) {
            self.cutOver = cutOver
            self.timeZone = timeZone
            self.announceAt = announceAt
        }
    }
}

extension Configuration.Day {
    init(reading value: YAMLValue?) throws(YAMLError) {
        self.init()
        let mapping = try value?.mapping()
        if let value = mapping?.optional("cut_over") { cutOver = try value.minuteOfDay() }
        if let value = mapping?.optional("time_zone") { timeZone = try value.timeZone() }
        let announcement = mapping?.optional("announce_at")
        try mapping?.refuseOtherKeys()
        guard let announcement else { return }
        announceAt = try announcement.minuteOfDay()
        guard announceAt != cutOver else {
            throw announcement.error("the day has just begun at its cut-over; expected a time before it, such as 23:59")
        }
    }
}

extension YAMLValue {
    /// `Asia/Shanghai`. Whether there is such a zone shows when it is used.
    fileprivate func timeZone() throws(YAMLError) -> String {
        let text = try string()
        guard ProcessTimeZone.isName(text) else {
            throw error("expected a time zone such as Asia/Shanghai\(found(text))")
        }
        mayBeShown()
        return text
    }
}
