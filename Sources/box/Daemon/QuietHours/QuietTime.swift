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

/// The part of the day in which the box speaks softly.
///
///     let hours = QuietHours(start: 22 * 60, end: 7 * 60, volume: 20)
///     hours.contain(23 * 60)  // true
public struct QuietHours: Sendable, Equatable {
    /// Minutes after midnight, in local time. The end is excluded; an end before the start is on the next day.
    public var start: Int
    public var end: Int
    /// The upper limit of the volume, 0–100. A lower volume stays as it is.
    public var volume: Int

    public init(start: Int, end: Int, volume: Int) {
        self.start = start
        self.end = end
        self.volume = volume
    }

    /// - Parameter minuteOfDay: the shop's local time, 0–1439.
    public func contain(_ minuteOfDay: Int) -> Bool {
        if start <= end { return (start..<end).contains(minuteOfDay) }
        return minuteOfDay >= start || minuteOfDay < end
    }
}

/// A change of the quiet hours by the shop.
public enum QuietChange: Sendable, Equatable {
    /// The shop's own hours, instead of the configured ones.
    case hours(QuietHours)
    /// No quiet hours, whatever is configured.
    case off
    /// The configured hours.
    case asSetUp

    /// `{"from": "22:00", "to": "07:00", "volume": 20}`, `{"off": true}` or `{"as_set_up": true}`.
    public init(decoding json: JSONValue) throws(ControlRefusal) {
        guard case .object(let members) = json else { throw Self.refusal }
        switch (members.map(\.name), json["off"], json["as_set_up"]) {
        case (["off"], .bool(true)?, _): self = .off
        case (["as_set_up"], _, .bool(true)?): self = .asSetUp
        default:
            guard members.count == 3, let start = json["from"]?.string.flatMap(Self.minute),
                let end = json["to"]?.string.flatMap(Self.minute), start != end,
                let volume = json["volume"]?.integer, Volume.range.contains(volume)
            else { throw Self.refusal }
            self = .hours(QuietHours(start: start, end: end, volume: volume))
        }
    }

    /// The form that ``init(decoding:)`` reads.
    public var json: JSONValue {
        switch self {
        case .hours(let hours): hours.json
        case .off: .object([("off", .bool(true))])
        case .asSetUp: .object([("as_set_up", .bool(true))])
        }
    }

    private static let refusal = ControlRefusal(
        .invalid,
        "expected {\"from\": \"22:00\", \"to\": \"07:00\", \"volume\": 20} with two different times and a volume from 0 to "
            + "100, {\"off\": true} or {\"as_set_up\": true}")

    private static func minute(_ text: String) -> Int? {
        guard let match = text.wholeMatch(of: /([01][0-9]|2[0-3]):([0-5][0-9])/), let hour = Int(match.1),
            let minute = Int(match.2)
        else { return nil }
        return hour * 60 + minute
    }
}

/// The quiet hours in force, and who has set them.
public struct QuietReading: Sendable, Equatable {
    /// `nil` if there are none.
    public var hours: QuietHours?
    public var isShops: Bool

    public init(_ hours: QuietHours?, isShops: Bool) { (self.hours, self.isShops) = (hours, isShops) }

    public var json: JSONValue {
        .object([
            ("quiet_hours", hours.map(\.json) ?? .null), ("origin", .string(isShops ? "shop" : "setup")),
        ])
    }
}

extension QuietHours {
    /// The form that ``QuietChange`` reads.
    public var json: JSONValue {
        func time(_ minute: Int) -> JSONValue {
            .string([minute / 60, minute % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":"))
        }
        return .object([("from", time(start)), ("to", time(end)), ("volume", .integer(volume))])
    }
}
