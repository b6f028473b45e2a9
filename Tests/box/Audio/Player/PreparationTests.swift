import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxTesting
import Synchronization
import Testing
import VoiceTestSupport

@testable import SoundboxAudio
@testable import SoundboxVoice

/// Counts how often the device is asked to open, be it open or not.
private final class CountedSink: AudioSink {
    let base = RecordingSink()
    let calls = Atomic(0)

    func open() throws(AudioSinkError) -> PCMFormat {
        calls.wrappingAdd(1, ordering: .relaxed)
        return try base.open()
    }
    func write(_ frames: [UInt8]) throws(AudioSinkError) { try base.write(frames) }
    func drain() throws(AudioSinkError) { try base.drain() }
    func interrupt() { base.interrupt() }
    func close() { base.close() }
}

@Suite("What the player makes ready for a payment that is not on the disk yet", .timeLimit(.minutes(10)))
struct PreparationTests {
    private let sink = CountedSink()
    private let voices: Voices
    private let utterance: Utterance

    init() throws {
        voices = Voices(first: try Voice.shipped())
        utterance = .payment(try Money("123.45", .CNY), channel: "alipay")
    }

    private func player(closeWhenIdle: Duration? = nil) -> Player {
        Player(sink: sink, voices: voices, volume: Volume(100), timing: Timing(closeWhenIdle: closeWhenIdle))
    }

    @Test("The device is opened and the words are found, and not a frame is written")
    func silent() async throws {
        let player = player()
        player.expect(utterance)
        try await player.prepare()
        #expect(sink.base.isOpen)
        #expect(sink.base.pending.isEmpty && sink.base.announcements.isEmpty)
        #expect(player.expectedScript(for: utterance) == voices.script(for: utterance))
        #expect(player.expectedScript(for: .payment(try Money("123.46", .CNY), channel: "alipay")) == nil)
    }

    @Test("Who is to prepare takes over what was expected, once")
    func once() async throws {
        let player = player()
        player.expect(utterance)
        try await player.prepare()
        #expect(sink.calls.load(ordering: .relaxed) == 1)
        try await player.prepare()
        #expect(sink.calls.load(ordering: .relaxed) == 2)
    }

    @Test("What is expected sounds as what is not")
    func same() async throws {
        let player = player()
        try await player.play(voices.script(for: utterance))
        player.expect(utterance)
        try await player.prepare()
        try await player.play(try #require(player.expectedScript(for: utterance)))
        #expect(sink.base.announcements.count == 2 && sink.base.announcements[0] == sink.base.announcements[1])
        #expect(sink.base.misuses.isEmpty)
    }

    @Test("A device that was opened for what never came is closed as any idle one")
    func inVain() async throws {
        let player = player(closeWhenIdle: .milliseconds(1))
        player.expect(utterance)
        while sink.base.openingCount == 0 { await Task.yield() }
        while sink.base.isOpen { await Task.yield() }
        #expect(sink.base.announcements.isEmpty && sink.base.misuses.isEmpty)
    }

    @Test("With other recordings the words are found anew")
    func otherRecordings() async throws {
        let player = player()
        player.expect(utterance)
        try await player.prepare()
        player.use(voices)
        #expect(player.expectedScript(for: utterance) == nil)
    }

    @Test("A device that fails is left to whoever has something to play, and expected again when it is back")
    func failing() async throws {
        let player = player()
        sink.base.fail(.open, with: .unavailable(device: "recording", reason: "away"))
        await #expect(throws: PlayerError.self) { try await player.prepare() }
        for _ in 1...3 { player.expect(utterance) }
        try await player.checkDevice()
        #expect(sink.calls.load(ordering: .relaxed) == 1)
        try await player.prepare()
        player.expect(utterance)
        try await player.checkDevice()
        #expect(sink.calls.load(ordering: .relaxed) == 3)
    }

    @Test("Whoever prepares is told that the device fails, as if nothing had been expected")
    func toldOfFailure() async throws {
        let player = player()
        let error = AudioSinkError.unavailable(device: "recording", reason: "away")
        sink.base.fail(.open, with: error)
        player.expect(utterance)
        await #expect(throws: PlayerError.sink(error)) { try await player.prepare() }
        #expect(sink.calls.load(ordering: .relaxed) == 1)
    }

    @Test("Behind the end nothing is opened any more")
    func behindTheEnd() async throws {
        let player = player()
        await player.close()
        player.expect(utterance)
        try await player.checkDevice()
        #expect(sink.calls.load(ordering: .relaxed) == 0)
    }

    @Test("A device that hangs holds up nobody who expects something, and is asked once")
    func hanging() async throws {
        let sink = StuckSink(in: .open)
        let player = Player(sink: sink, voices: voices, volume: Volume(100))
        for _ in 1...3 { player.expect(utterance) }
        await sink.isHeld.wait()
        player.expect(utterance)
        sink.release()
        try await player.prepare()
        #expect(sink.base.openingCount == 1)
    }

    @Test("While an announcement plays, nothing is made ready: the device is open, and in use")
    func playing() async throws {
        let player = player()
        try await player.play(voices.script(for: utterance), began: { [utterance] in player.expect(utterance) })
        #expect(player.expectedScript(for: utterance) == nil)
    }
}
