import Synchronization

/// One announcement, from the call that asks for it to its answer. Any thread.
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

    /// Whether it ends at once: cancelled or interrupted.
    var isStopped: Bool { stopped.load(ordering: .acquiring) }
    func stop() { stopped.store(true, ordering: .releasing) }

    /// A period of it is at the device.
    func noteWritten() { if !hasBegun.exchange(true, ordering: .relaxed) { began() } }
}
