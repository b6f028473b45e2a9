import SoundboxCore
import SoundboxYAML

/// The quiet hours of the setup: `announce.quiet_hours`.
package struct QuietHoursSettings: Sendable, Equatable {
    package var hours: QuietHours?
}

extension QuietHoursSettings {
    /// - Parameter announce: which the other settings of announcements share.
    init(reading announce: YAMLMapping) throws(YAMLError) {
        hours = try announce.read("quiet_hours") { try QuietHours(reading: $0) }
    }
}

extension QuietHours {
    fileprivate init(reading value: YAMLValue) throws(YAMLError) {
        let mapping = try value.mapping()
        let start = try mapping.required("from")
        let end = try mapping.required("to")
        self.init(
            start: try start.minuteOfDay(), end: try end.minuteOfDay(),
            volume: try mapping.required("volume").integer(in: Volume.range))
        try mapping.refuseOtherKeys()
        guard self.start != self.end else { throw end.error("the quiet hours end when they begin") }
    }
}
