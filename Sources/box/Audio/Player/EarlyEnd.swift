import Synchronization

/// Ends one announcement early, at the next end of a word that is not inside an amount.
///
///     let end = EarlyEnd()
///     async let outcome = player.play(script, until: end)
///     end.raise()
///
/// It belongs to one announcement only, so it may be raised before that one begins, and long after. Any thread; never
/// blocks.
public final class EarlyEnd: Sendable {
    private let raised = Atomic(false)

    public init() {}

    /// Whether the announcement is to end.
    public var isRaised: Bool { raised.load(ordering: .acquiring) }

    public func raise() { raised.store(true, ordering: .releasing) }
}
