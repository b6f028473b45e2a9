import SoundboxAudio
import SoundboxCore
import Synchronization

/// What sounds now, so that a cancel or a press can end it, and whether anything was heard of what still waits. Any
/// thread; never blocks.
final class NowPlaying: Sendable {
    private struct Content {
        /// What sounds, or is about to.
        var targets: [CancelTarget] = []
        var isRing = false
        var earlyEnd = EarlyEnd()
        /// A part of these was heard in this run, and how they end is not on the disk.
        var begun: Set<CancelTarget> = []
        /// A cancel of these is being committed, or they are answered: none of them begins.
        var held: Set<CancelTarget> = []
    }

    private let content = Mutex(Content())
    private let written = Atomic(false)
    private let interrupt: @Sendable () -> Void

    /// - Parameter interrupt: ends what plays at once. Called under the lock, so that what is interrupted is the ring
    ///   that was meant and never the sentence behind it. Must not block.
    init(interrupt: @escaping @Sendable () -> Void = {}) { self.interrupt = interrupt }

    /// These sound next. Several together are ended by no cancel.
    func begin(_ targets: [CancelTarget], isRing: Bool = false) {
        content.withLock { content in
            content.targets = targets
            content.isRing = isRing
            content.earlyEnd = EarlyEnd()
            written.store(false, ordering: .relaxed)
            if targets.count == 1, content.held.contains(targets[0]) { content.earlyEnd.raise() }
        }
    }

    /// Something of it has been written. On the sound thread: one atomic.
    func noteWritten() { written.store(true, ordering: .relaxed) }

    /// Whether something was written of what began last.
    var isWritten: Bool { written.load(ordering: .relaxed) }

    func end() {
        content.withLock { content in
            if isWritten { content.begun.formUnion(content.targets) }
            content.targets = []
            content.isRing = false
            content.earlyEnd = EarlyEnd()
        }
    }

    /// How these ended is on the disk.
    func forget(_ targets: [CancelTarget]) {
        content.withLock { content in
            content.begun.subtract(targets)
            content.held.subtract(targets)
        }
    }

    /// Of what began last.
    var earlyEnd: EarlyEnd { content.withLock { $0.earlyEnd } }

    /// Ends it if it sounds, a sentence with its word and a ring at once, and keeps it from beginning until it is let go
    /// or has ended.
    /// - Returns: whether a part of it was heard.
    @discardableResult
    func hold(_ target: CancelTarget) -> Bool {
        content.withLock { content in
            let sounds = content.targets.contains(target)
            if sounds, content.targets.count == 1 { silence(&content) }
            content.held.insert(target)
            return sounds && isWritten || content.begun.contains(target)
        }
    }

    func letGo(_ target: CancelTarget) { content.withLock { _ = $0.held.remove(target) } }

    func isHeld(_ target: CancelTarget) -> Bool { content.withLock { $0.held.contains(target) } }

    /// The box is to stop: a sentence is finished.
    func silenceRing() { content.withLock { if $0.isRing { silence(&$0) } } }

    private func silence(_ content: inout Content) {
        content.earlyEnd.raise()
        if content.isRing { interrupt() }
    }
}
