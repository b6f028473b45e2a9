import SoundboxCore
import SoundboxTesting
import Synchronization

/// A sink that tells of every period and may act in between, as a hand on the volume keys does.
final class WatchedSink: AudioSink {
    let base: RecordingSink
    private let didWrite: @Sendable (_ periods: Int) -> Void
    private let count = Atomic(0)

    /// - Parameter didWrite: called on the sound thread after each period, with their number so far.
    init(sampleRate: Int = 48_000, didWrite: @escaping @Sendable (_ periods: Int) -> Void = { _ in }) {
        base = RecordingSink(
            format: PCMFormat(
                sampleRate: sampleRate, channelCount: 1, encoding: .int16, framesPerPeriod: sampleRate / 50))
        self.didWrite = didWrite
    }

    var periods: Int { count.load(ordering: .relaxed) }
    /// Every announcement that was played to its end.
    var stream: [Int16] { base.announcements.flatMap(samples) }

    func open() throws(AudioSinkError) -> PCMFormat { try base.open() }
    func drain() throws(AudioSinkError) { try base.drain() }
    func interrupt() { base.interrupt() }
    func close() { base.close() }
    func write(_ frames: [UInt8]) throws(AudioSinkError) {
        try base.write(frames)
        didWrite(count.wrappingAdd(1, ordering: .relaxed).newValue)
    }
}

/// What a sink was given, as samples.
func samples(_ bytes: [UInt8]) -> [Int16] {
    stride(from: 0, to: bytes.count, by: 2).map { Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8) }
}
