import Logging
import ServiceLifecycle
import SoundboxCore
import SoundboxSystem
import SoundboxYAML

/// Announces the day's takings at a set time, once for each business day, also across restarts.
///
/// The day is stored before it is announced: after a power cut it is announced once or not at all, never twice. Pinned
/// to a thread, because the store blocks on the disk.
actor DayEndService: Service, Feature {
    private let executor: ThreadExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The longest sleep: the clock or the time zone may change meanwhile.
    static let longestSleep = Duration.seconds(20)

    private let dayEnd: DayEnd
    private let day: ShopDay
    private let keeper: Remembered<CivilDate>
    private let logger: Logger
    private let tell: @Sendable (BusinessDay) -> Void
    /// The day that was announced last.
    private var told: CivilDate?

    /// Reads the stored day on the caller's thread.
    ///
    /// - Parameter tell: announces the takings of a day. Must not block.
    init(
        _ dayEnd: DayEnd, day: ShopDay, keeper: Remembered<CivilDate>, logger: Logger, executor: ThreadExecutor,
        tell: @escaping @Sendable (BusinessDay) -> Void
    ) {
        self.dayEnd = dayEnd
        self.day = day
        self.keeper = keeper
        self.logger = logger
        self.executor = executor
        self.tell = tell
        told = keeper.read()
    }

    /// `nil` if no time is set for it.
    init?(in box: BoxContext, _ day: ShopDay) {
        guard let minute = box.settings.day.announceAt else { return nil }
        self.init(
            DayEnd(minute: minute), day: day, keeper: box.remembered(StateFile.dayEnd), logger: box.logger,
            executor: box.files, tell: box.requests.tell)
    }

    func run() async {
        while true {
            let pause = announceIfDue()
            do { try await cancelWhenGracefulShutdown { try await Task.sleep(for: pause) } } catch { return }
            if Task.isShuttingDownGracefully { return }
        }
    }

    /// Announces the takings if they are due.
    /// - Returns: how long to wait before the next call.
    func announceIfDue() -> Duration {
        guard let calendar = day.calendar() else { return Self.longestSleep }
        switch dayEnd.decision(at: day.clock.reading, calendar, told: told) {
        case .isDue(let day):
            told = day.date
            do { try keeper.write(day.date) } catch {
                logger.warning(
                    "that the day's takings are told could not be noted", metadata: ["reason": "\(error)"])
            }
            logger.info("the day's takings are told", metadata: ["day": "\(day.date)"])
            tell(day)
            return .zero
        case .isNotDue(let time): return min(time, Self.longestSleep)
        case .isUnknown: return Self.longestSleep
        }
    }
}

/// Decides when the day's takings are announced automatically: once for each business day, at a set time or shortly
/// after.
///
///     switch DayEnd(minute: 21 * 60).decision(at: clock.reading, calendar, told: lastDay) {
///     case .isDue(let day): requests.tell(day)
///     case .isNotDue(let time): wait(time)
///     case .isUnknown: break
///     }
public struct DayEnd: Sendable, Equatable {
    /// Minutes after midnight, 0–1439.
    public var minute: Int

    /// How late the announcement may come. An hour later, nobody expects it.
    public static let grace = Duration.seconds(30 * 60)

    public init(minute: Int) { self.minute = minute }

    public enum Decision: Sendable, Equatable {
        case isDue(BusinessDay)
        /// Due after this time, unless the clock is set meanwhile.
        case isNotDue(Duration)
        /// The time is not confirmed.
        case isUnknown
    }

    /// - Parameters:
    ///   - reading: only a confirmed time counts. A box that was switched off continues with its last known time, and
    ///     would announce the takings the next morning.
    ///   - told: the day that was announced last.
    public func decision(at reading: ClockReading, _ calendar: BusinessCalendar, told: CivilDate?) -> Decision {
        guard let now = reading.confirmed else { return .isUnknown }
        let day = calendar.day(at: now)
        // A day further ahead was stored by a wrong clock, and would silence all days until then.
        let isTold = told.map { day.date <= $0 && $0 <= day.date + 1 } ?? false
        if let moment = calendar.moment(minute, of: day), !isTold {
            if moment > now { return .isNotDue(moment.duration(since: now)) }
            if now.duration(since: moment) <= Self.grace { return .isDue(day) }
        }
        return .isNotDue(max(day.end.duration(since: now), .seconds(1)))
    }
}

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
