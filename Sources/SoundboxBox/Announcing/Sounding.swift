import SoundboxAudio
import SoundboxCore
import Synchronization

/// What sounds now, so that a cancel or a press can end it. Any thread; never blocks.
final class Sounding: Sendable {
    private struct Content {
        var targets: [CancelTarget] = []
        var isRing = false
        var earlyEnd = EarlyEnd()
        /// Cancelled or answered since the inbox was read. What was read then may be among them.
        var hushed: [CancelTarget] = []
    }

    /// More cancels than this between two readings of the inbox are unheard of: the announcer reads it when they come.
    private static let mostHushed = 64

    private let content = Mutex(Content())
    private let interrupt: @Sendable () -> Void

    /// - Parameter interrupt: ends what plays at once. Called under the lock, so that what is interrupted is the ring that
    ///   was meant and never the sentence behind it. Must not block.
    init(interrupt: @escaping @Sendable () -> Void = {}) { self.interrupt = interrupt }

    /// These are noted, and sound next.
    func begin(_ targets: [CancelTarget], isRing: Bool = false) {
        content.withLock { content in
            content.targets = targets
            content.isRing = isRing
            content.earlyEnd = EarlyEnd()
            if targets.contains(where: content.hushed.contains) { content.earlyEnd.raise() }
        }
    }

    func end() {
        content.withLock { content in
            content.targets = []
            content.isRing = false
            content.earlyEnd = EarlyEnd()
        }
    }

    /// Of what was noted last.
    var earlyEnd: EarlyEnd { content.withLock { $0.earlyEnd } }

    /// A sentence ends with its word, a ring at once.
    func hush(_ target: CancelTarget) {
        content.withLock { content in
            if content.targets.contains(target) { silence(&content) }
            content.hushed.append(target)
            content.hushed.removeFirst(max(0, content.hushed.count - Self.mostHushed))
        }
    }

    /// The box is to stop: a sentence is finished.
    func hushRing() { content.withLock { if $0.isRing { silence(&$0) } } }

    private func silence(_ content: inout Content) {
        content.earlyEnd.raise()
        if content.isRing { interrupt() }
    }

    /// The inbox is read: what was cancelled before is not in it.
    func forget() { content.withLock { $0.hushed = [] } }
}
