import Foundation
import SoundboxCore

/// A card with a buffer of 100 ms that plays when it is told to, a period at a time. A write waits for room.
final class CardSink: AudioSink, @unchecked Sendable {
    // Sendable because every access to the fields below holds `condition`.
    let format = PCMFormat(sampleRate: 8000, channelCount: 1, encoding: .int16, framesPerPeriod: 160)
    private let periodsOfBuffer = 5
    private let condition = NSCondition()
    private var queue: [[UInt8]] = []
    private var heardPeriods: [[UInt8]] = []
    private var isOpened = false
    private var isInterrupted = false
    private var isHeld = false
    private var plays = false

    var bufferFrames: Int { periodsOfBuffer * format.framesPerPeriod }

    /// What has left the speaker.
    var heard: [UInt8] { locked { Array(heardPeriods.joined()) } }
    var isOpen: Bool { locked { isOpened } }
    /// What the card holds, in periods.
    var queued: Int { locked { queue.count } }

    /// Whether a write waits for room, or a drain for the end.
    var isWaiting: Bool { locked { isHeld } }

    /// Plays one period of what it holds.
    func playPeriod() {
        locked {
            isHeld = false
            heardPeriods.append(queue.removeFirst())
        }
    }

    /// Plays from now on whatever comes, at once.
    func playOn() { locked { plays = true } }

    func open() throws(AudioSinkError) -> PCMFormat {
        locked {
            isInterrupted = false
            isOpened = true
        }
        return format
    }

    func write(_ frames: [UInt8]) throws(AudioSinkError) {
        try taken {
            while queue.count >= periodsOfBuffer, !plays, !isInterrupted {
                isHeld = true
                condition.wait()
            }
            guard isOpened, !isInterrupted else { return false }
            queue.append(frames)
            if plays { playAll() }
            return true
        }
    }

    func drain() throws(AudioSinkError) {
        try taken {
            while !queue.isEmpty, !plays, !isInterrupted {
                isHeld = true
                condition.wait()
            }
            playAll()
            return !isInterrupted
        }
    }

    /// Takes its time now and then, and must not meet whoever plays next for that.
    func interrupt() {
        for _ in 0..<Int.random(in: 0..<300) { sched_yield() }
        locked { isInterrupted = true }
    }

    func close() {
        locked {
            queue = []
            isOpened = false
        }
    }

    private func playAll() {
        guard plays, !isInterrupted else { return }
        heardPeriods += queue
        queue = []
    }

    private func taken(_ body: () -> Bool) throws(AudioSinkError) {
        guard !locked(body) else { return }
        close()
        throw .interrupted
    }

    private func locked<Value>(_ body: () -> Value) -> Value {
        condition.lock()
        defer {
            condition.broadcast()
            condition.unlock()
        }
        return body()
    }
}
