import Glibc
import SoundboxALSA
import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice
import Synchronization
import Testing
import VoiceTestSupport

@Suite("Announcements that are interrupted on a card", .timeLimit(.minutes(10)))
struct InterruptedAnnouncementTests {
    private let voice: Voice
    /// Longer than any buffer here.
    private let ring = AnnouncementScript(
        text: "",
        elements: (1...8).flatMap { _ in
            [AnnouncementScript.Element.sound(RingTone.sound), .pause(RingTone.restBeforeWords)]
        })

    init() throws { voice = try Voice.shipped() }

    private func player(_ sink: some AudioSink) -> Player {
        Player(sink: sink, voices: Voices(first: voice), volume: Volume(100))
    }

    /// Calls somebody when so many bytes have passed on the way to a sink.
    private final class CountingSink: AudioSink {
        let base: ALSASink
        let bytes = Atomic(0)
        private let limit: Int
        private let hasPassed: @Sendable () -> Void

        init(_ base: ALSASink, limit: Int, hasPassed: @escaping @Sendable () -> Void) {
            self.base = base
            self.limit = limit
            self.hasPassed = hasPassed
        }

        func open() throws(AudioSinkError) -> PCMFormat { try base.open() }
        func drain() throws(AudioSinkError) { try base.drain() }
        func interrupt() { base.interrupt() }
        func close() { base.close() }
        var bufferFrames: Int { base.bufferFrames }
        func write(_ frames: [UInt8]) throws(AudioSinkError) {
            try base.write(frames)
            let (old, new) = bytes.wrappingAdd(frames.count, ordering: .relaxed)
            if old < limit, new >= limit { hasPassed() }
        }
    }

    @Test(
        "The device drops what it holds, at once: a card, and a sound server that moves in steps of seconds",
        arguments: [("Device", 1...10_000), (nil, 96_000...96_000)] as [(String?, ClosedRange<Int>)])
    func dropped(card: String?, periods: ClosedRange<Int>) async throws {
        let bench = Bench(.init(periods: periods, buffers: 1...1_000_000, isServer: card == nil))
        let player = player(bench.sink)
        bench.pcm.change { contents in
            contents.id = card
            contents.isWaiting = {
                // On the sound thread, in the middle of a write that waits for room.
                player.interrupt()
            }
        }
        await #expect(throws: PlayerError.cancelled) { try await player.play(ring, Delivery(hasChime: false)) }
        let seen = bench.pcm.seen
        #expect(!seen.isOpen && seen.queued.isEmpty)
        // No time passes on this card but in sleeps, and this one ended with the interrupt.
        #expect(seen.now == .zero && seen.sleeps == 1)
        // The next announcement is heard whole.
        bench.pcm.change {
            $0.isWaiting = {}
            $0.heard = []
        }
        #expect(try await player.play(ring, Delivery(hasChime: false)) == .heard(.aloud))
        #expect(bench.pcm.seen.heard.count > 8 * RingTone.sound.samples.count * 2)
        await player.close()
    }

    @Test("Through alsa-lib, nothing of an announcement reaches the device after its interrupt")
    func stopped() async throws {
        var path = Array("/tmp/soundbox-interrupt-XXXXXX".utf8CString)
        let descriptor = mkstemp(&path)
        try #require(descriptor >= 0)
        Glibc.close(descriptor)
        let name = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { unlink(name) }
        let hand = Mutex<Player?>(nil)
        let sink = CountingSink(ALSASink(device: "file:'\(name)',raw"), limit: 96_000) {
            hand.withLock { $0 }?.interrupt()
        }
        let player = player(sink)
        hand.withLock { $0 = player }
        await #expect(throws: PlayerError.cancelled) { try await player.play(ring, Delivery(hasChime: false)) }
        var status = stat()
        #expect(stat(name, &status) == 0)
        #expect(Int(status.st_size) == sink.bytes.load(ordering: .relaxed))
        #expect((96_000..<100_000).contains(status.st_size))
        await player.close()
    }
}
