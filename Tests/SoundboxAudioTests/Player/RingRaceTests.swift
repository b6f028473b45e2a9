import SoundboxCore
import SoundboxSpeech
import Synchronization
import Testing
import VoiceTestSupport

@testable import SoundboxAudio
@testable import SoundboxVoice

@Suite("Rings and announcements that meet", .timeLimit(.minutes(10)))
struct RingRaceTests {
    private final class Notes: Sendable {
        let isOver = Atomic(false)
        let failures = Atomic(0)
        let periods = Atomic(0)
    }

    private let voice: Voice
    private let bare = AnnouncementScript(text: "", elements: [])

    init() throws { voice = try Voice(directory: "\(shippedSounds)/zh-CN") }

    private func player(_ sink: some AudioSink) -> Player {
        Player(sink: sink, voices: Voices(first: voice), volume: Volume(100))
    }

    private func script(_ samples: [Int16], at rate: Int) -> AnnouncementScript {
        AnnouncementScript(text: "", elements: [.sound(PCMSound(samples: samples, sampleRate: rate))])
    }

    @Test(
        "However ring and announcements begin and end, a ring's end ends no announcement")
    func races() async throws {
        let sink = CardSink()
        sink.playOn()
        let player = player(sink)
        let word = script([Int16](repeating: 1000, count: 320), at: 8000)
        let notes = Notes()
        // One stops and starts, another one only stops.
        let starter = Task.detached {
            while !notes.isOver.load(ordering: .relaxed) {
                player.startRing(word, failed: { _ in notes.failures.wrappingAdd(1, ordering: .relaxed) })
                for _ in 0..<Int.random(in: 0..<20) { await Task.yield() }
                player.stopRing()
            }
        }
        let stopper = Task.detached {
            while !notes.isOver.load(ordering: .relaxed) {
                player.stopRing()
                await Task.yield()
            }
        }
        for _ in 1...400 {
            let outcome = try await player.play(word, Delivery(hasChime: false, gap: .zero))
            #expect(outcome == .heard(.aloud))
        }
        notes.isOver.store(true, ordering: .relaxed)
        await starter.value
        await stopper.value
        player.stopRing()
        #expect(notes.failures.load(ordering: .relaxed) == 0)
        // And it is as good as new.
        #expect(try await player.play(word) == .heard(.aloud))
        await player.close()
    }

    @Test("However often announcements are interrupted, the ring is there, without a failure")
    func interruptedOften() async throws {
        let notes = Notes()
        let word = script([Int16](repeating: 0, count: 960), at: 48_000)
        let sink = StreamSink { _ in notes.periods.wrappingAdd(1, ordering: .relaxed) }
        let player = player(sink)
        player.startRing(bare, failed: { _ in notes.failures.wrappingAdd(1, ordering: .relaxed) })
        for _ in 1...100 {
            let play = Task { try? await player.play(word, Delivery(hasChime: false, gap: .zero)) }
            for _ in 0..<Int.random(in: 0..<30) { await Task.yield() }
            player.interrupt()
            _ = await play.value
            let before = notes.periods.load(ordering: .relaxed)
            while notes.periods.load(ordering: .relaxed) == before { await Task.yield() }
        }
        #expect(notes.failures.load(ordering: .relaxed) == 0)
        player.stopRing()
        await player.close()
    }
}
