import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import Synchronization

/// What plays now, so that a cancel or a button can end it, and which waiting entries were heard in part. Any thread;
/// never blocks.
final class NowPlaying: Sendable {
    private struct Content {
        /// What plays or is about to play.
        var targets: [CancelTarget] = []
        var isRing = false
        var earlyEnd = EarlyEnd()
        /// Heard in part in this run, with no end on the disk yet.
        var begun: Set<CancelTarget> = []
        /// Their cancel is being committed, or they are answered: none of them begins.
        var held: Set<CancelTarget> = []
    }

    private let content = Mutex(Content())
    private let written = Atomic(false)
    private let interrupt: @Sendable () -> Void

    /// - Parameter interrupt: ends at once what plays. Called under the lock, so that it ends the ring and never the
    ///   sentence after it. Must not block.
    init(interrupt: @escaping @Sendable () -> Void = {}) { self.interrupt = interrupt }

    /// Sets what plays next. A cancel does not end several that play together.
    func begin(_ targets: [CancelTarget], isRing: Bool = false) {
        content.withLock { content in
            content.targets = targets
            content.isRing = isRing
            content.earlyEnd = EarlyEnd()
            written.store(false, ordering: .relaxed)
            if targets.count == 1, content.held.contains(targets[0]) { content.earlyEnd.raise() }
        }
    }

    /// Call when a part was written to the device. On the sound thread: one atomic.
    func noteWritten() { written.store(true, ordering: .relaxed) }

    /// Whether a part of what began last was written.
    var isWritten: Bool { written.load(ordering: .relaxed) }

    func end() {
        content.withLock { content in
            if isWritten { content.begun.formUnion(content.targets) }
            content.targets = []
            content.isRing = false
            content.earlyEnd = EarlyEnd()
        }
    }

    /// Call when the end of these is on the disk.
    func forget(_ targets: [CancelTarget]) {
        content.withLock { content in
            content.begun.subtract(targets)
            content.held.subtract(targets)
        }
    }

    /// The early end of what began last.
    var earlyEnd: EarlyEnd { content.withLock { $0.earlyEnd } }

    /// Ends the target if it plays: a sentence after the current word, a ring at once. It does not begin until it is
    /// let go or has ended.
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

    /// Ends a ring because the box stops. A sentence is finished.
    func silenceRing() { content.withLock { if $0.isRing { silence(&$0) } } }

    private func silence(_ content: inout Content) {
        content.earlyEnd.raise()
        if content.isRing { interrupt() }
    }
}

/// Words of a text, made while something else plays. Any thread; never blocks.
final class WordsInTheMaking: Sendable {
    let text: String
    private let making: Task<Void, Never>
    private let product = Product()

    private final class Product: Sendable {
        let script = Mutex<AnnouncementScript?>(nil)
        let end = OneTimeSignal()
    }

    init(_ text: String, _ make: @escaping @Sendable (String) async -> AnnouncementScript?) {
        self.text = text
        making = Task { [product] in
            let script = await make(text)
            product.script.withLock { $0 = script }
            product.end.signal()
        }
    }

    /// - Returns: `nil` if there are none within `limit`.
    func script(within limit: Duration) async -> AnnouncementScript? {
        await product.end.wait(atMost: limit)
        return product.script.withLock { $0 }
    }

    /// Call when the words are no longer needed.
    func giveUp() { making.cancel() }
}
