import Logging
import ServiceLifecycle
import SoundboxAudio
import SoundboxCore
import SoundboxSystem
import SoundboxTesting
import SoundboxVoice
import TestSupport
import Testing

@testable import SoundboxBox
@testable import SoundboxVoice

@Suite("The ringer's service", .timeLimit(.minutes(15)))
struct RingServiceTests {
    private let desk = RingDesk()
    private static let full = Volume(0)...Volume(100)

    private func expectStart(_ text: String = "", _ loudness: ClosedRange<Volume> = full) async throws {
        try await desk.player.calls.next { $0 == .start(text, loudness) ? () : nil }
    }

    private func expectStop() async throws { try await desk.player.calls.next { $0 == .stop ? () : nil } }

    @Test("A ring sounds, shows who calls, and a press silences it before the disk has heard of it")
    func answered() async throws {
        try await desk.withService { [desk] service in
            #expect(!service.answer())
            desk.book.add(try RingDesk.ring("r-1", .text("三号桌叫人")))
            desk.words.value[try CommandID("r-1")] = "三号桌叫人"
            service.ringsMayWait()
            try await expectStart("三号桌叫人")
            #expect(desk.state.snapshot.ring?.id.text == "r-1" && desk.state.snapshot.ring?.text == "三号桌叫人")
            try await desk.told.next { $0 == .ringing(true) ? () : nil }
            desk.book.fail(with: .failed(path: "memory", reason: "disk full"))
            #expect(service.answer())
            #expect(!desk.player.isRinging)
            #expect(!service.answer())
            try await desk.told.next { $0 == .ringing(false) ? () : nil }
            #expect(desk.state.snapshot.ring == nil)
            desk.book.fail(with: nil)
            #expect(try await desk.book.ends.next() == "r-1 answered")
            try await desk.told.next { $0 == .receipts ? () : nil }
            #expect(!desk.told.entries.contains(.missed))
        }
    }

    @Test("One that nobody answers is missed, which is told once, after its receipt")
    func missed() async throws {
        try await desk.withService { [desk] service in
            desk.book.add(try RingDesk.ring("r-1", timeout: .milliseconds(50)))
            service.ringsMayWait()
            #expect(try await desk.book.ends.next() == "r-1 missed")
            try await desk.told.next { $0 == .missed ? () : nil }
            #expect(!desk.player.isRinging)
            #expect(desk.told.entries.count { $0 == .missed } == 1)
        }
    }

    @Test("A cancel silences the ring from the thread that brings it, and the next one sounds")
    func hushed() async throws {
        try await desk.withService { [desk] service in
            desk.book.add(try RingDesk.ring("r-1"))
            desk.book.add(try RingDesk.ring("r-2", .text("二")))
            desk.words.value[try CommandID("r-2")] = "二"
            service.ringsMayWait()
            try await expectStart()
            service.hush(.errand(try CommandID("r-2x")))
            service.hush(.payment(try PaymentID("r-1")))
            #expect(desk.player.isRinging)
            service.hush(.errand(try CommandID("r-1")))
            // At once, and not when the service gets to it; by then the next one may ring.
            #expect(desk.player.calls.entries.contains(.stop))
            // The row is still there, since the commit fails: it is silent all the same.
            service.ringsMayWait()
            try await expectStart("二")
            desk.book.cancel(try CommandID("r-1"))
            service.ringsMayWait()
            #expect(service.answer())
            #expect(try await desk.book.ends.next() == "r-2 answered")
            #expect(desk.player.calls.entries.count { $0 == .start("", Self.full) } == 1)
        }
    }

    @Test("A cancel that comes before its ring keeps it silent")
    func hushedEarly() async throws {
        try await desk.withService { [desk] service in
            service.hush(.errand(try CommandID("r-1")))
            desk.book.add(try RingDesk.ring("r-1"))
            desk.book.add(try RingDesk.ring("r-2", .text("二")))
            desk.words.value[try CommandID("r-2")] = "二"
            service.ringsMayWait()
            try await expectStart("二")
            #expect(desk.player.calls.entries.count == 1)
        }
    }

    @Test("A cancel or a press in the middle of a start leaves nothing sounding", arguments: [true, false])
    func race(isPress: Bool) async throws {
        try await desk.withService { [desk] service in
            desk.book.add(try RingDesk.ring("r-1", .text("一")))
            desk.words.value[try CommandID("r-1")] = "一"
            desk.player.onStart {
                if isPress { _ = service.answer() } else if let id = try? CommandID("r-1") { service.hush(.errand(id)) }
            }
            service.ringsMayWait()
            try await expectStart("一")
            try await expectStop()
            #expect(!desk.player.isRinging)
        }
    }

    @Test("A ring that was silenced together with the one before it sounds again")
    func silencedByMistake() async throws {
        try await desk.withService { [desk] service in
            desk.book.add(try RingDesk.ring("r-1"))
            desk.book.add(try RingDesk.ring("r-2", .text("二")))
            desk.words.value[try CommandID("r-2")] = "二"
            service.ringsMayWait()
            try await expectStart()
            #expect(service.answer())
            try await expectStart("二")
            // As when the press's own stop comes late, and meets the next ring.
            desk.player.silenceByMistake()
            await service.soundAgain()
            try await expectStart("二")
            #expect(desk.player.isRinging)
        }
    }

    @Test("Without its words the tone begins after a second, and has them as soon as they are ready")
    func lateWords() async throws {
        try await desk.withService { [desk] service in
            desk.book.add(try RingDesk.ring("r-1", .text("一")))
            service.ringsMayWait()
            try await expectStart("")
            desk.words.value[try CommandID("r-1")] = "一"
            service.soundsChanged()
            try await expectStart("一")
        }
    }

    @Test("A card that is away is tried again while the light stays on")
    func cardAway() async throws {
        try await desk.withService { [desk] service in
            desk.player.fail(with: .sink(.unavailable(device: "hw:9", reason: "unplugged")))
            desk.book.add(try RingDesk.ring("r-1"))
            service.ringsMayWait()
            for _ in 1...2 { try await expectStart() }
            #expect(desk.state.snapshot.ring?.id.text == "r-1")
            #expect(desk.book.ends.entries.isEmpty)
        }
    }

    @Test("A ring of which no frame has sounded in its time has failed, and is not told as missed")
    func cardNeverThere() async throws {
        try await desk.withService { [desk] service in
            desk.player.fail(with: .sink(.unavailable(device: "hw:9", reason: "unplugged")))
            // Its first start must not be late on a machine that is busy; how many follow does not matter.
            desk.book.add(try RingDesk.ring("r-1", timeout: .seconds(20)))
            service.ringsMayWait()
            let end = try await desk.book.ends.next()
            #expect(end.hasPrefix("r-1 failed(reason: ") && end.contains("unplugged"), "\(end)")
            #expect(!desk.told.entries.contains(.missed))
        }
    }

    @Test("Words that cannot be played cost the words and not the ring")
    func brokenWords() async throws {
        try await desk.withService { [desk] service in
            desk.player.fail(with: .recording(.chime, .unreadable(file: "a.flac", reason: "no such file")))
            desk.player.onStart { [player = desk.player] in player.fail(with: nil) }
            desk.book.add(try RingDesk.ring("r-1", .text("一")))
            desk.words.value[try CommandID("r-1")] = "一"
            service.ringsMayWait()
            try await expectStart("一")
            try await expectStart("")
            #expect(desk.player.isRinging)
        }
    }

    @Test("In quiet hours it is no louder than they allow")
    func quietHours() async throws {
        try await desk.withService(quietHours: QuietHours(start: 0, end: 1440, volume: 20)) { [desk] service in
            desk.book.add(try RingDesk.ring("r-1"))
            service.ringsMayWait()
            try await expectStart("", Volume(0)...Volume(20))
        }
    }

    @Test("A box that stops is silent, and its ring stays in the book; the next run rings for what is left of its time")
    func restart() async throws {
        let first = desk.service()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let group = ServiceGroup(services: [first], logger: logger)
        desk.book.add(try RingDesk.ring("r-1"), age: .seconds(300))
        async let run: Void = group.run()
        try await expectStart()
        await group.triggerGracefulShutdown()
        try await run
        #expect(!desk.player.isRinging && desk.book.ends.entries.isEmpty)
        #expect(!first.answer())
        #expect(desk.state.snapshot.ring == nil)

        let second = desk.service()
        let again = Task { await second.run() }
        defer { again.cancel() }
        try await expectStart()
        let left = try #require(desk.state.snapshot.ring).deadline - .monotonicNow
        #expect(left <= .seconds(300))
        #expect(second.answer())
        #expect(try await desk.book.ends.next() == "r-1 answered")
    }

    @Test("A ring of an earlier run under a clock that nobody has confirmed is missed")
    func restartWithoutClock() async throws {
        desk.book.add(try RingDesk.ring("r-1"), age: .seconds(1))
        let service = desk.service(isClockRight: false)
        let run = Task { await service.run() }
        defer { run.cancel() }
        #expect(try await desk.book.ends.next() == "r-1 missed")
        #expect(desk.player.calls.entries.isEmpty)
    }
}
