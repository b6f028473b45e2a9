import Glibc
import SoundboxALSA
import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxTesting
import SoundboxVoice
import Synchronization
import Testing
import VoiceTestSupport

@Suite("Rings on a card", .timeLimit(.minutes(10)))
struct RingTests {
    private let voice: Voice
    private let bare = AnnouncementScript(text: "", elements: [])

    init() throws { voice = try Voice(directory: "\(shippedSounds)/zh-CN") }

    private func player(_ sink: some AudioSink) -> Player {
        Player(sink: sink, voices: Voices(first: voice), volume: Volume(100))
    }

    /// Counts on the way to a sink.
    private final class CountingSink: AudioSink {
        let base: ALSASink
        let bytes = Atomic(0)
        let hasSecond = OneTimeSignal()

        init(_ base: ALSASink) { self.base = base }

        func open() throws(AudioSinkError) -> PCMFormat { try base.open() }
        func drain() throws(AudioSinkError) { try base.drain() }
        func interrupt() { base.interrupt() }
        func close() { base.close() }
        var bufferFrames: Int { base.bufferFrames }
        func write(_ frames: [UInt8]) throws(AudioSinkError) {
            try base.write(frames)
            if bytes.wrappingAdd(frames.count, ordering: .relaxed).newValue > 96_000 { hasSecond.signal() }
        }
    }

    @Test("When a ring is stopped, a card drops what it holds: nothing more of it is heard, and that within 100 ms")
    func dropped() async throws {
        let bench = Bench()
        let player = player(bench.sink)
        let isStopped = OneTimeSignal()
        let waits = Atomic(0)
        bench.pcm.change { contents in
            contents.isWaiting = {
                guard waits.wrappingAdd(1, ordering: .relaxed).newValue == 40 else { return }
                // On the sound thread, in the middle of a write that waits for room.
                player.stopRing()
                isStopped.signal()
            }
        }
        player.startRing(bare)
        await isStopped.wait()
        await player.close()
        let seen = bench.pcm.seen
        #expect(!seen.isOpen && seen.queued.isEmpty)
        // No time passes on this card but in waits, and none of those is longer than 50 ms.
        #expect(waits.load(ordering: .relaxed) == 40)
        // An announcement is heard whole afterwards.
        bench.pcm.change { $0.isWaiting = {} }
        #expect(try await player.play(bare) == .heard(.aloud))
        #expect(bench.pcm.seen.heard.count > seen.heard.count + 48_000)
        await player.close()
    }

    @Test("Through alsa-lib, less than 100 ms of a ring reach the device after it was stopped")
    func stopped() async throws {
        var path = Array("/tmp/soundbox-ring-XXXXXX".utf8CString)
        let descriptor = mkstemp(&path)
        try #require(descriptor >= 0)
        Glibc.close(descriptor)
        let name = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { unlink(name) }
        for _ in 1...5 {
            let sink = CountingSink(ALSASink(device: "file:'\(name)',raw"))
            let format = try sink.open()
            let player = player(sink)
            player.startRing(bare)
            await sink.hasSecond.wait()
            let atStop = sink.bytes.load(ordering: .relaxed)
            player.stopRing()
            await player.close()
            var status = stat()
            #expect(stat(name, &status) == 0)
            #expect(Int(status.st_size) >= atStop)
            let rest = Int(status.st_size) - atStop
            #expect(rest < format.frames(in: .milliseconds(100)) * format.bytesPerFrame)
        }
    }
}
