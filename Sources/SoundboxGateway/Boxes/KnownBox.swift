import SoundboxCore

/// What is known of a box from its status.
package struct KnownBox: Sendable, Equatable {
    /// When it came online; `nil` while it is away, and before its first status.
    package var onlineSince: Timestamp?
    /// Counts its sessions at the broker; `nil` before the first status with one.
    package var sessionEpoch: Int?
    package var faults: [String] = []
    /// When its last status came.
    package var seenAt: Timestamp?
    /// The session of which `reconciled` is still to be sent.
    package var reconciling: Reconciling?

    package struct Reconciling: Sendable, Equatable {
        package var epoch: Int
        /// When to send it; `nil` before everything has been published again.
        package var dueAt: Timestamp?

        package init(epoch: Int, dueAt: Timestamp? = nil) { (self.epoch, self.dueAt) = (epoch, dueAt) }
    }

    package init() {}

    /// How old the last status of a box may be that is online: it sends one a minute. A broker that was killed keeps
    /// the last one and sends no last will.
    static let freshness = Duration.seconds(180)

    package func isOnline(at now: Timestamp) -> Bool {
        guard onlineSince != nil, let seenAt else { return false }
        // In the future it is of a clock that was corrected while the gateway was off.
        return (.zero - Self.freshness...Self.freshness).contains(now.duration(since: seenAt))
    }

    /// Takes a status.
    ///
    /// - Parameter reconciles: whether this gateway tells a box that it has published everything again.
    /// - Returns: whether the box came online or has a new session: payments for it may be due.
    package mutating func note(_ status: BoxStatus, at now: Timestamp, reconciles: Bool) -> Bool {
        let before = self
        let wasOnline = isOnline(at: now)
        seenAt = now
        onlineSince = status.isOnline ? (wasOnline ? onlineSince : now) : nil
        // An epoch counts from the moment that the box can be reached in it.
        if status.isOnline, let epoch = status.session?.epoch { sessionEpoch = epoch }
        // The last will has none.
        if let faults = status.faults { self.faults = faults }
        if reconciles, let old = before.sessionEpoch, let new = sessionEpoch, new > old {
            reconciling = Reconciling(epoch: new)
        }
        return (onlineSince != nil && !wasOnline) || sessionEpoch != before.sessionEpoch
    }

    /// Its times by a clock that was set.
    func moved(by jump: Duration) -> KnownBox {
        var box = self
        box.onlineSince = onlineSince.map { $0 + jump }
        box.seenAt = seenAt.map { $0 + jump }
        box.reconciling?.dueAt = reconciling?.dueAt.map { $0 + jump }
        return box
    }

    /// Whether the other one says the same, apart from the time of its last status.
    package func isAlike(_ other: KnownBox) -> Bool {
        var other = other
        other.seenAt = seenAt
        return self == other
    }
}
