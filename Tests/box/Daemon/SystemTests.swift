import Glibc
import SoundboxCore
import SoundboxSystem
import Synchronization
import TestSupport
import Testing

@testable import SoundboxBox
@testable import SoundboxConfiguration

@Suite("The system around the box")
struct SystemTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("The service manager hears READY, STOPPING and the watchdog, each as one datagram that no text can add to")
    func notifications() throws {
        let path = folder.file("notify")
        let receiver = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(receiver) }
        #expect(withUnixAddress(path) { bind(receiver, $0, $1) } == 0)
        let systemd = Systemd { ["NOTIFY_SOCKET": path][$0] }
        systemd.ready()
        systemd.watchdog()
        systemd.status("online")
        systemd.status("offline: no\nREADY=1")
        systemd.stopping()
        for expected in ["READY=1", "WATCHDOG=1", "STATUS=online", "STATUS=offline: no\\u{a}READY=1", "STOPPING=1"] {
            var buffer = [UInt8](repeating: 0, count: 256)
            let count = recv(receiver, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            #expect(count > 0 && String(decoding: buffer.prefix(max(0, count)), as: UTF8.self) == expected)
        }
    }

    @Test("The watchdog hears nothing while one thread is stuck, and again when it is not")
    func watchdog() async throws {
        let path = folder.file("notify")
        let receiver = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(receiver) }
        #expect(withUnixAddress(path) { bind(receiver, $0, $1) } == 0)
        let questions = Mutex(0)
        let service = WatchdogService(
            systemd: Systemd { ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "1000"][$0] },
            stillness: {
                let number = questions.withLock { questions in
                    questions += 1
                    return questions
                }
                return [.zero, number <= 5 ? .seconds(31) : .zero]
            })
        let run = Task { await service.run() }
        let first = try await onOwnThread(named: "receiver") {
            var buffer = [UInt8](repeating: 0, count: 256)
            let count = recv(receiver, &buffer, buffer.count, 0)
            return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        }
        #expect(first == "WATCHDOG=1")
        #expect(questions.withLock { $0 } > 5)
        run.cancel()
        await run.value
    }

    @Test("A thread that waits for a salvage that goes on is not stuck, and the manager gives the start more time")
    func salvage() throws {
        let path = folder.file("notify")
        let receiver = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(receiver) }
        #expect(withUnixAddress(path) { bind(receiver, $0, $1) } == 0)
        let watch = SalvageWatch(systemd: Systemd { ["NOTIFY_SOCKET": path][$0] })
        #expect(watch.stillness(.seconds(1_000_000_000)) == .seconds(1_000_000_000))
        let start = Duration.monotonicNow
        watch.goesOn()
        let stillness = watch.stillness(.seconds(1_000_000_000))
        #expect(stillness <= .monotonicNow - start)
        // One that stands still is no excuse: it is as old as its last page.
        #expect(watch.stillness(.seconds(1_000_000_000)) > stillness)
        #expect(watch.stillness(.zero) == .zero)
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = recv(receiver, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        #expect(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self) == "EXTEND_TIMEOUT_USEC=30000000")
    }

    @Test("Without a service manager nothing is sent; its watchdog for another process is not ours")
    func noManager() {
        Systemd { _ in nil }.ready()
        #expect(Systemd { ["WATCHDOG_USEC": "30000000"][$0] }.watchdogInterval == .seconds(30))
        #expect(Systemd { ["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"][$0] }.watchdogInterval == nil)
    }
}
