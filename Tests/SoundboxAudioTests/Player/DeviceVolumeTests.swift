import SoundboxCore
import SoundboxTesting
import Synchronization
import Testing
import VoiceTestSupport

@testable import SoundboxAudio
@testable import SoundboxVoice

/// A device with a volume of its own.
private final class LoudSink: AudioSink {
    let base = RecordingSink()
    /// What the device was asked for; the answers are ``takes``.
    let levels = Mutex<[Int]>([])
    let takes = Mutex(true)
    let didWrite: @Sendable (_ periods: Int) -> Void
    private let periods = Mutex(0)

    init(didWrite: @escaping @Sendable (_ periods: Int) -> Void = { _ in }) { self.didWrite = didWrite }

    func open() throws(AudioSinkError) -> PCMFormat { try base.open() }
    func drain() throws(AudioSinkError) { try base.drain() }
    func interrupt() { base.interrupt() }
    func close() { base.close() }
    func write(_ frames: [UInt8]) throws(AudioSinkError) {
        try base.write(frames)
        didWrite(
            periods.withLock {
                $0 += 1
                return $0
            })
    }
    func setVolume(_ level: Int) -> Bool {
        levels.withLock { $0.append(level) }
        return takes.withLock { $0 }
    }
    var bufferFrames: Int { 4800 }
}

@Suite("A device with a volume of its own", .timeLimit(.minutes(10)))
struct DeviceVolumeTests {
    private let voice: Voice
    private let script: AnnouncementScript

    init() throws {
        voice = try Voice(directory: "\(shippedSounds)/zh-CN")
        script = try voice.writer.exactScript(for: .payment(try Money("5", .CNY), channel: nil))
    }

    private func player(_ sink: some AudioSink, volume: Int) -> Player {
        Player(sink: sink, voices: Voices(first: voice), volume: Volume(volume))
    }

    private func inSoftware(_ volume: Int) async throws -> [UInt8] {
        let sink = RecordingSink()
        try await player(sink, volume: volume).play(script)
        return try #require(sink.announcements.first)
    }

    @Test("Gets the volume, and the samples as they are")
    func taken() async throws {
        let sink = LoudSink()
        let player = player(sink, volume: 30)
        try await player.play(script)
        #expect(try await sink.base.announcements == [inSoftware(100)])
        #expect(sink.levels.withLock { $0 } == [30])
        #expect(player.device?.hasVolume == true)
        #expect(player.device?.bufferFrames == 4800)
        // Somebody else may have turned it: it is told again with every announcement.
        try await player.play(script)
        #expect(sink.levels.withLock { $0 } == [30, 30])
    }

    @Test("A device that cannot leaves the volume to the samples, and is asked again next time")
    func notTaken() async throws {
        let sink = LoudSink()
        sink.takes.withLock { $0 = false }
        let player = player(sink, volume: 30)
        try await player.play(script)
        #expect(try await sink.base.announcements == [inSoftware(30)])
        #expect(player.device?.hasVolume == false)
        sink.takes.withLock { $0 = true }
        try await player.play(script)
        #expect(try await sink.base.announcements.last == inSoftware(100))
    }

    @Test("A key turns the device, and silence is a ramp of the samples that leaves the device alone")
    func keys() async throws {
        let handle = Mutex<Player?>(nil)
        let sink = LoudSink { periods in
            handle.withLock { player in
                switch periods {
                case 40: player?.volume = Volume(60)
                case 50: player?.isMuted = true
                case 60: player?.isMuted = false
                case 70: player?.volume = Volume(0)
                default: break
                }
            }
        }
        let player = player(sink, volume: 80)
        handle.withLock { $0 = player }
        try await player.play(script)
        #expect(sink.levels.withLock { $0 } == [80, 60])
        let heard = try #require(sink.base.announcements.first)
        let full = try await inSoftware(100)
        #expect(heard[..<(50 * 1920)] == full[..<(50 * 1920)])
        #expect(heard[(51 * 1920)..<(60 * 1920)].allSatisfy { $0 == 0 })
        #expect(heard[(61 * 1920)..<(70 * 1920)] == full[(61 * 1920)..<(70 * 1920)])
        #expect(heard[(71 * 1920)...].allSatisfy { $0 == 0 })
        #expect(player.volume == Volume(0))
    }

    @Test("The limits of a delivery count for the device as well")
    func limits() async throws {
        let sink = LoudSink()
        let player = player(sink, volume: 90)
        try await player.play(script, Delivery(loudness: Volume(0)...Volume(20)))
        try await player.play(script, Delivery(loudness: Volume(95)...Volume(100)))
        #expect(sink.levels.withLock { $0 } == [20, 95])
    }
}
