import SoundboxCore
import SoundboxSystem
import SoundboxTesting
import Synchronization

/// A device of which one call never comes back until it is let go.
final class StuckSink: AudioSink {
    enum Call: Sendable, CaseIterable { case open, write, drain, close, check }

    let base = RecordingSink()
    private let stuckIn: Call?
    private let gate = BlockingQueue<Never>()
    /// The stuck call has begun.
    let isHeld = OneTimeSignal()
    let isClosed = OneTimeSignal()
    /// The thread that is held.
    let heldThread = Atomic<Int32>(0)

    init(in call: Call?) { stuckIn = call }

    func release() { gate.finish() }

    private func hold(_ call: Call) {
        guard call == stuckIn else { return }
        heldThread.store(ThreadScheduling.currentThread, ordering: .relaxed)
        isHeld.signal()
        _ = gate.next()
    }

    func open() throws(AudioSinkError) -> PCMFormat {
        hold(.open)
        return try base.open()
    }

    func write(_ frames: [UInt8]) throws(AudioSinkError) {
        hold(.write)
        try base.write(frames)
    }

    func drain() throws(AudioSinkError) {
        hold(.drain)
        try base.drain()
    }

    func checkDevice() throws(AudioSinkError) {
        hold(.check)
        try base.checkDevice()
    }

    // A driver that holds a call cares for no interrupt.
    func interrupt() { base.interrupt() }

    func close() {
        hold(.close)
        base.close()
        isClosed.signal()
    }

}
