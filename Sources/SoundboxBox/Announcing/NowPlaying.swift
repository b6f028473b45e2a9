import SoundboxAudio
import SoundboxCore
import Synchronization

/// What sounds now, so that a cancel or a press can end it, and whether anything was heard of what still waits. Any
/// thread; never blocks.
final class NowPlaying: Sendable {
    private struct Content {
        /// Empty for several together, which no cancel ends.
        var targets: [CancelTarget] = []
        /// In this run, and not ended since.
        var begun: Set<CancelTarget> = []
        var isRing = false
        var earlyEnd = EarlyEnd()
        /// Cancelled or answered since the inbox was read. What was read then may be among them.
        var hushed: [CancelTarget] = []
    }

    /// More cancels than this between two readings of the inbox are unheard of: the announcer reads it when they come.
    private static let mostHushed = 64

    private let content = Mutex(Content())
    private let interrupt: @Sendable () -> Void

    /// - Parameter interrupt: ends what plays at once. Called under the lock, so that what is interrupted is the ring
    ///   that was meant and never the sentence behind it. Must not block.
    init(interrupt: @escaping @Sendable () -> Void = {}) { self.interrupt = interrupt }

    /// These sound next.
    func begin(_ targets: [CancelTarget], isRing: Bool = false) {
        content.withLock { content in
            content.targets = targets.count == 1 ? targets : []
            content.isRing = isRing
            content.earlyEnd = EarlyEnd()
            if content.targets.contains(where: content.hushed.contains) { return content.earlyEnd.raise() }
            content.begun.formUnion(targets)
        }
    }

    func end() {
        content.withLock { content in
            content.targets = []
            content.isRing = false
            content.earlyEnd = EarlyEnd()
        }
    }

    /// How these ended is on the disk.
    func forget(_ targets: [CancelTarget]) { content.withLock { $0.begun.subtract(targets) } }

    /// Of what began last.
    var earlyEnd: EarlyEnd { content.withLock { $0.earlyEnd } }

    /// A sentence ends with its word, a ring at once.
    /// - Returns: whether a part of it was heard.
    @discardableResult
    func hush(_ target: CancelTarget) -> Bool {
        content.withLock { content in
            if content.targets.contains(target) { silence(&content) }
            content.hushed.append(target)
            content.hushed.removeFirst(max(0, content.hushed.count - Self.mostHushed))
            return content.begun.contains(target)
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
