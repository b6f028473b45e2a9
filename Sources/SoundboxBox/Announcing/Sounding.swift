import SoundboxAudio
import SoundboxCore
import Synchronization

/// What sounds, for whoever has to have it end. Any thread; never blocks.
final class Sounding: Sendable {
    private struct Content {
        var targets: [CancelTarget] = []
        var earlyEnd = EarlyEnd()
        /// Cancelled since the inbox was read. What was read then may be among them.
        var hushed: [CancelTarget] = []
    }

    /// More cancels than this between two readings of the inbox are unheard of: the announcer reads it when they come.
    private static let mostHushed = 64

    private let content = Mutex(Content())

    /// These are noted, and sound next.
    func begin(_ targets: [CancelTarget]) {
        content.withLock { content in
            content.targets = targets
            content.earlyEnd = EarlyEnd()
            if targets.contains(where: content.hushed.contains) { content.earlyEnd.raise() }
        }
    }

    func end() {
        content.withLock { content in
            content.targets = []
            content.earlyEnd = EarlyEnd()
        }
    }

    /// Of what was noted last.
    var earlyEnd: EarlyEnd { content.withLock { $0.earlyEnd } }

    func hush(_ target: CancelTarget) {
        content.withLock { content in
            if content.targets.contains(target) { content.earlyEnd.raise() }
            content.hushed.append(target)
            content.hushed.removeFirst(max(0, content.hushed.count - Self.mostHushed))
        }
    }

    /// The inbox is read: whoever was cancelled before is not in it.
    func forget() { content.withLock { $0.hushed = [] } }
}
