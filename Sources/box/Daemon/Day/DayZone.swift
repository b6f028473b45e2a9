import Logging
import SoundboxCore
import SoundboxSystem
import Synchronization

/// The time zone of the business day. If the machine does not have it, there are no totals, but payments work; it is
/// searched again until it is there, for example after an installation of tzdata. Any thread; blocks on the disk.
final class DayZone: Sendable {
    private let name: String?
    private let configurationFile: String
    private let state: BoxState
    private let logger: Logger
    private let isFound = Mutex(false)

    /// - Parameter name: `nil` for the machine's zone.
    init(_ name: String?, configurationFile: String, state: BoxState, logger: Logger) {
        self.name = name
        self.configurationFile = configurationFile
        self.state = state
        self.logger = logger
    }

    /// `nil` if there is no such zone; ``ProcessTimeZone`` then uses the machine's.
    var clock: LocalTime? {
        if name != nil, isFound.withLock({ $0 }) { return ProcessTimeZone.clock }
        do throws(TimeZoneError) {
            try ProcessTimeZone.use(name)
            isFound.withLock { $0 = true }
            state.update { $0.timeZoneWarning = nil }
            return ProcessTimeZone.clock
        } catch {
            let warning = "\(configurationFile): day.time_zone: \(error); no day's totals until it is there"
            if state.snapshot.timeZoneWarning != warning { logger.warning("\(warning)") }
            state.update { $0.timeZoneWarning = warning }
            try? ProcessTimeZone.use(nil)
            return nil
        }
    }
}
