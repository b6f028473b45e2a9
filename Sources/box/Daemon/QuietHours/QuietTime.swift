import Logging
import SoundboxCore
import SoundboxSystem
import SoundboxYAML
import Synchronization

/// The quiet hours in force: the shop's own if it has set some, otherwise those of the setup. Any thread. Only changes
/// block, and ``volumeNow`` may, on the calendar's file.
package final class QuietTime: Sendable {
    private struct Content {
        let configured: QuietHours?
        /// `nil` if the shop uses those of the setup.
        var own: QuietChange?
    }

    private let content: Mutex<Content>
    private let day: ShopDay?
    private let keeper: Remembered<QuietChange>
    private let logger: Logger
    private let state: BoxState?
    private let executor: ThreadExecutor

    /// Blocks on the read of `keeper`.
    ///
    /// - Parameters:
    ///   - state: notified of changes.
    ///   - executor: a thread that may block, for changes from the control socket.
    ///   - keeper: stores the shop's own.
    ///   - day: the current time; without it there are no quiet hours.
    package init(
        _ configured: QuietHours? = nil, day: ShopDay? = nil, state: BoxState? = nil,
        logger: Logger = Logger(label: "quiet hours") { _ in SwiftLogNoOpLogHandler() },
        executor: ThreadExecutor = ThreadExecutor(name: "files"), keeper: Remembered<QuietChange> = .none
    ) {
        content = Mutex(Content(configured: configured, own: keeper.read()))
        self.day = day
        self.logger = logger
        self.keeper = keeper
        self.state = state
        self.executor = executor
    }

    package var hours: QuietHours? { reading.hours }

    package var reading: QuietReading {
        content.withLock { content in
            switch content.own {
            case .hours(let hours)?: QuietReading(hours, isShops: true)
            case .off?: QuietReading(nil, isShops: true)
            case .asSetUp?, nil: QuietReading(content.configured, isShops: false)
            }
        }
    }

    /// The highest volume now, 0–100; `nil` outside of quiet hours.
    var volumeNow: Int? {
        // While the clock is not believed, a loud payment at night is better than one that nobody hears.
        guard let hours, let minute = day?.minuteOfDay, hours.contain(minute) else { return nil }
        return hours.volume
    }

    /// Stores the change before it takes effect, so that it survives a restart. Blocks on the disk.
    func change(to change: QuietChange) throws {
        try keeper.write(change)
        content.withLock { $0.own = change }
        let words = change == .asSetUp ? "as set up" : change.json.text
        logger.notice("quiet hours set by the shop", metadata: ["set": "\(words)"])
        state?.update { $0.quietHoursWarning = nil }
        state?.inboxChanged()
    }
}

extension QuietTime: Feature {
    convenience init(in box: BoxContext, _ day: ShopDay) {
        self.init(
            box.settings.quietHours.hours, day: day, state: box.state, logger: box.logger, executor: box.files,
            keeper: box.remembered(StateFile.quietHours))
        guard let path = box.stateDirectory.map({ StateFile.quietHours(in: $0).path }),
            content.withLock({ $0.own == nil }),
            SmallFile.exists(path)
        else { return }
        let warning =
            "\(path): the quiet hours that the shop has set cannot be read: those of the setup count until it sets others"
        logger.warning("\(warning)")
        box.state.update { $0.quietHoursWarning = warning }
    }

    var routes: [ControlRoute] {
        [
            ControlRoute(.get, "quiet-hours", isForPhones: true) { _ in .json(self.reading.json) },
            ControlRoute(.put, "quiet-hours", isForPhones: true) { request in
                let change = try QuietChange(decoding: try JSONValue(parsing: request.body))
                let work = Task(executorPreference: self.executor) { try self.change(to: change) }
                do { try await work.value } catch {
                    throw ControlRefusal(.fault, "the quiet hours cannot be written down: \(error)")
                }
                return .json(self.reading.json)
            },
        ]
    }

    func fill(_ status: inout BoxStatus) {
        status.quietVolume = volumeNow
        let reading = reading
        status.shopQuietHours = reading.isShops ? reading.hours.map(\.json) ?? .null : nil
    }
}

// MARK: Settings

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
