import Logging
import ServiceLifecycle
import SoundboxCore
import SoundboxSystem

/// Has the day's takings told at a set time, once for each business day, however often the box is restarted.
///
/// The day is noted before it is told: what a power cut falls into is told once or not at all, and never twice.
/// Pinned to a thread, since the note blocks on the disk.
actor DayEndService: Service, Feature {
    private let executor: ThreadExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The longest that it sleeps: the clock may be set meanwhile, and the time zone.
    static let longestSleep = Duration.seconds(20)

    private let dayEnd: DayEnd
    private let day: ShopDay
    private let keeper: Remembered<CivilDate>
    private let logger: Logger
    private let tell: @Sendable (BusinessDay) -> Void
    /// The day that was told last.
    private var told: CivilDate?

    /// Reads what was kept, on the caller's thread.
    ///
    /// - Parameter tell: has the takings of that day told. Must not block.
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

    func run() async {
        while true {
            let pause = look()
            do { try await cancelWhenGracefulShutdown { try await Task.sleep(for: pause) } } catch { return }
            if Task.isShuttingDownGracefully { return }
        }
    }

    /// Tells the takings if it is time.
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
