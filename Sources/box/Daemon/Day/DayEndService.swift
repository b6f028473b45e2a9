import Logging
import ServiceLifecycle
import SoundboxCore
import SoundboxSystem

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
            let pause = look()
            do { try await cancelWhenGracefulShutdown { try await Task.sleep(for: pause) } } catch { return }
            if Task.isShuttingDownGracefully { return }
        }
    }

    /// Announces the takings if they are due.
    /// - Returns: how long to wait before the next look.
    func look() -> Duration {
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
