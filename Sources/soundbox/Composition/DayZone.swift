import Logging
import SoundboxBox
import SoundboxCore
import SoundboxSystem
import Synchronization

/// The time zone of the business day. One that this machine does not have costs totals and no payment; it is looked for
/// until it is there, as after an installation of tzdata. Any thread; blocks on the disk.
final class DayZone: Sendable {
    private let name: String?
    private let configurationFile: String
    private let state: BoxState
    private let logger: Logger
    private let source: Mutex<TimeZoneSource?>

    /// - Parameter name: `nil` for the machine's own.
    init(_ name: String?, configurationFile: String, state: BoxState, logger: Logger) {
        self.name = name
        self.configurationFile = configurationFile
        self.state = state
        self.logger = logger
        source = Mutex(name == nil ? TimeZoneSource() : nil)
    }

    /// As they are now; `nil` where there is no such zone.
    var rules: TimeZoneRules? {
        if let source = source.withLock({ $0 }) { return source.rules }
        guard let name else { return nil }
        do throws(TimeZoneError) {
            let found = try TimeZoneSource(named: name)
            source.withLock { $0 = found }
            state.update { $0.timeZoneWarning = nil }
            return found.rules
        } catch {
            let warning = "\(configurationFile): day.time_zone: \(error); no day's totals until it is there"
            if state.snapshot.timeZoneWarning != warning { logger.warning("\(warning)") }
            state.update { $0.timeZoneWarning = warning }
            return nil
        }
    }
}
