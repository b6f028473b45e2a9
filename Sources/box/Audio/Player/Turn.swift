import Synchronization

/// The state of one announcement, from its request to its answer. Any thread.
final class Turn: Sendable {
    let end: EarlyEnd
    /// Called with the places of the script's elements.
    let wereLaid: @Sendable ([Range<Int>]) -> Void
    /// Called when the first frames were written.
    private let began: @Sendable () -> Void
    private let hasBegun = Atomic(false)
    private let stopped = Atomic(false)

    init(
        until end: EarlyEnd, wereLaid: @escaping @Sendable ([Range<Int>]) -> Void = { _ in },
        began: @escaping @Sendable () -> Void = {}
    ) {
        self.end = end
        self.wereLaid = wereLaid
        self.began = began
    }

    /// Whether it must end at once: cancelled or interrupted.
    var isStopped: Bool { stopped.load(ordering: .acquiring) }
    func stop() { stopped.store(true, ordering: .releasing) }

    /// The device has taken a period of it.
    func noteWritten() { if !hasBegun.exchange(true, ordering: .relaxed) { began() } }
}
