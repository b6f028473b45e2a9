import Logging
import SoundboxCore
import SoundboxSystem
import SoundboxTesting
import Synchronization
import TestSupport
import Testing

@testable import SoundboxBox

@Suite("The day told at its end")
struct DayEndServiceTests {
    /// What survives a restart: a file, and the time.
    private final class Disk: Sendable {
        let now = Mutex(Timestamp(millisecondsSince1970: 0))
        let date = Mutex<CivilDate?>(nil)
        let isBroken = Mutex(false)

        var keeper: Remembered<CivilDate> {
            Remembered(read: { self.date.withLock { $0 } }) { date in
                if self.isBroken.withLock({ $0 }) { throw TestFailure("no disk") }
                self.date.withLock { $0 = date }
            }
        }
    }

    private let told = Journal<CivilDate>()
    private let disk = Disk()

    private func set(_ text: String) throws {
        let time = try #require(Timestamp(rfc3339: text))
        disk.now.withLock { $0 = time }
    }

    /// A box that has just been started.
    private func service(isSynchronised: Bool = true) -> DayEndService {
        let time = disk.now.withLock { $0 }
        let clock = BoxClock(newestKnown: nil) {
            BoxClock.Signs(now: time, isSynchronised: isSynchronised, offset: .zero)
        }
        return DayEndService(
            DayEnd(minute: 22 * 60),
            day: ShopDay(clock: clock, history: TemporaryInbox(), calendar: { BusinessCalendar() }),
            keeper: disk.keeper, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            executor: ThreadExecutor(name: "files")
        ) { [told] in told.append($0.date) }
    }

    @Test("It is told once, however often the box is restarted, and again the next day")
    func once() async throws {
        try set("2026-11-22T21:59:59Z")
        #expect(await service().announceIfDue() == .seconds(1))
        #expect(told.entries.isEmpty)
        try set("2026-11-22T22:00:10Z")
        for _ in 0..<3 {
            let service = service()
            _ = await service.announceIfDue()
            _ = await service.announceIfDue()
        }
        #expect(told.entries.count == 1)
        try set("2026-11-23T22:10:00Z")
        _ = await service().announceIfDue()
        #expect(told.entries.map(\.description) == ["2026-11-22", "2026-11-23"])
    }

    @Test("Not by a clock that nobody has confirmed, and not an hour late")
    func notThen() async throws {
        try set("2026-11-22T22:00:10Z")
        _ = await service(isSynchronised: false).announceIfDue()
        try set("2026-11-22T23:00:10Z")
        _ = await service().announceIfDue()
        #expect(told.entries.isEmpty)
    }

    @Test("A disk that refuses the note keeps nobody from hearing it, once")
    func noDisk() async throws {
        disk.isBroken.withLock { $0 = true }
        try set("2026-11-22T22:00:10Z")
        let service = service()
        _ = await service.announceIfDue()
        _ = await service.announceIfDue()
        #expect(told.entries.count == 1)
    }
}
