import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxTesting
import Synchronization
import Testing
import VoiceTestSupport

@testable import SoundboxAudio
@testable import SoundboxVoice

@Suite("Interrupting an announcement", .timeLimit(.minutes(10)))
struct InterruptTests {
    private let voice: Voice
    private let sink = CardSink()
    private let player: Player

    init() throws {
        voice = try Voice.shipped()
        player = Player(sink: sink, voices: Voices(first: voice), volume: Volume(100))
    }

    private func play(periods: Int) async throws(PlayerError) -> Player.Outcome {
        let sound = PCMSound(samples: [Int16](repeating: 1000, count: periods * 160), sampleRate: 8000)
        return try await player.play(
            AnnouncementScript(text: "", elements: [.sound(sound)]), Delivery(hasChime: false, gap: .zero))
    }

    @Test(
        "What the card holds is dropped: nothing more is heard, though a write or the end was waited for",
        arguments: [100, 4])
    func dropped(periods: Int) async throws {
        let outcome = Task { try await play(periods: periods) }
        for _ in 0..<3 {
            while !sink.isWaiting { await Task.yield() }
            sink.playPeriod()
        }
        while !sink.isWaiting { await Task.yield() }
        #expect(sink.queued > 0)
        let heard = sink.heard.count
        player.interrupt()
        await #expect(throws: PlayerError.cancelled) { try await outcome.value }
        #expect(!sink.isOpen && sink.queued == 0)
        #expect(sink.heard.count == heard)
    }

    @Test("One that waits for the thread is not begun")
    func waiting() async throws {
        let sink = StuckSink(in: .open)
        let player = Player(sink: sink, voices: Voices(first: voice), volume: Volume(100))
        let preparation = Task { try await player.prepare() }
        await sink.isHeld.wait()
        let outcome = Task { try await player.play(AnnouncementScript(text: "", elements: [])) }
        while !player.isPlaying { await Task.yield() }
        player.interrupt()
        sink.release()
        try await preparation.value
        await #expect(throws: PlayerError.cancelled) { try await outcome.value }
        #expect(sink.base.isOpen && sink.base.pending.isEmpty && sink.base.announcements.isEmpty)
    }

    @Test("While its device opens, it writes nothing")
    func opening() async throws {
        let sink = StuckSink(in: .open)
        let player = Player(sink: sink, voices: Voices(first: voice), volume: Volume(100))
        let outcome = Task { try await player.play(AnnouncementScript(text: "", elements: [])) }
        await sink.isHeld.wait()
        // Taken back when the device has opened.
        player.interrupt()
        sink.release()
        await #expect(throws: PlayerError.cancelled) { try await outcome.value }
        #expect(!sink.base.isOpen && sink.base.pending.isEmpty && sink.base.announcements.isEmpty)
    }

    @Test("Whenever it comes, it ends the announcement that plays or nothing, and none that follows")
    func races() async throws {
        sink.playOn()
        let isOver = Atomic(false)
        let hand = Task.detached { [player] in
            while !isOver.load(ordering: .relaxed) {
                player.interrupt()
                for _ in 0..<Int.random(in: 0..<20) { await Task.yield() }
            }
        }
        for _ in 1...3000 {
            do throws(PlayerError) { _ = try await play(periods: 2) } catch { #expect(error == .cancelled) }
        }
        isOver.store(true, ordering: .relaxed)
        await hand.value
        let heard = sink.heard.count
        #expect(try await play(periods: 50) == .heard(.aloud))
        #expect(sink.heard.count - heard >= 50 * 320)
    }
}
