import SoundboxCore
import SoundboxSystem
import Synchronization

/// A device that keeps everything that was written to it, in one stream, and takes no time. It tells of every period,
/// and whoever is told may act in between.
final class StreamSink: AudioSink {
    fileprivate struct State {
        var isOpen = false
        var isInterrupted = false
        var isThere = true
        var stream: [Int16] = []
        var drains: [Int] = []
        var closings: [Int] = []
        var periods = 0
    }

    let format: PCMFormat
    let bufferFrames: Int
    private let state = Mutex(State())
    private let didWrite: @Sendable (_ periods: Int) -> Void

    /// - Parameter didWrite: called on the sound thread after each period, with their number so far.
    init(
        sampleRate: Int = 48_000, didWrite: @escaping @Sendable (_ periods: Int) -> Void = { _ in }
    ) {
        format = PCMFormat(
            sampleRate: sampleRate, channelCount: 1, encoding: .int16, framesPerPeriod: sampleRate / 50)
        bufferFrames = sampleRate / 10
        self.didWrite = didWrite
    }

    /// Everything that was ever written.
    var stream: [Int16] { state.withLock { $0.stream } }
    /// How much had been written at each drain of something.
    var drains: [Int] { state.withLock { $0.drains } }
    /// How much had been written whenever the device was closed: what it held is dropped then.
    var closings: [Int] { state.withLock { $0.closings } }
    var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Returns when so many more periods have been written.
    func awaitPeriods(_ count: Int) async {
        let end = state.withLock { $0.periods } + count
        while state.withLock({ $0.periods }) < end { await Task.yield() }
    }

    func unplug() { state.withLock { $0.isThere = false } }
    func plug() { state.withLock { $0.isThere = true } }

    func open() throws(AudioSinkError) -> PCMFormat {
        try state.withLock { state throws(AudioSinkError) in
            state.isInterrupted = false
            guard state.isThere else { throw .unavailable(device: "stream", reason: "it is not there") }
            state.isOpen = true
        }
        return format
    }

    func write(_ frames: [UInt8]) throws(AudioSinkError) {
        let periods = try state.withLock { state throws(AudioSinkError) in
            try state.check()
            for place in stride(from: 0, to: frames.count, by: 2) {
                state.stream.append(Int16(bitPattern: UInt16(frames[place]) | UInt16(frames[place + 1]) << 8))
            }
            state.periods += 1
            return state.periods
        }
        didWrite(periods)
    }

    func drain() throws(AudioSinkError) {
        try state.withLock { state throws(AudioSinkError) in
            try state.check()
            state.drains.append(state.stream.count)
        }
    }

    func interrupt() { state.withLock { $0.isInterrupted = true } }
    func close() { state.withLock { $0.close() } }

}

extension StreamSink.State {
    fileprivate mutating func close() {
        if isOpen { closings.append(stream.count) }
        isOpen = false
    }

    fileprivate mutating func check() throws(AudioSinkError) {
        if isInterrupted {
            close()
            throw .interrupted
        }
        guard isThere, isOpen else {
            close()
            throw .writeFailed(device: "stream", reason: "it was unplugged")
        }
    }
}
