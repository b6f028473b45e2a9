import SoundboxCore

/// What is known of a box from its status.
package struct KnownBox: Sendable, Equatable {
    /// Since when it is known to be online, as ``Moment/running``; `nil` while it is away, and until a new status has come
    /// in this connection.
    package var onlineSince: Duration?
    /// Counts its sessions at the broker; `nil` before the first status with one.
    package var sessionEpoch: Int?
    package var faults: [String] = []
    /// When its last status came.
    package var seenAt: Timestamp?
    /// The same as ``Moment/running``; `nil` before the first one in this connection.
    package var seen: Duration?
    /// The box's own time of that status.
    var said: Timestamp?
    /// The session of which `reconciled` is still to be sent.
    package var reconciling: Reconciling?

    package struct Reconciling: Sendable, Equatable {
        package var epoch: Int
        /// When to send it, as ``Moment/running``; `nil` before everything has been published again.
        package var due: Duration?

        package init(epoch: Int, due: Duration? = nil) { (self.epoch, self.due) = (epoch, due) }
    }

    package init() {}

    /// How old the last status of a box may be that is online: it sends one every 150 s at least (`status.interval`). A
    /// broker that was killed keeps the last one and sends no last will.
    static let freshness = Duration.seconds(180)

    /// - Parameter now: ``Moment/running``.
    package func isOnline(at now: Duration) -> Bool {
        guard onlineSince != nil, let seen else { return false }
        return now - seen <= Self.freshness
    }

    /// Applies a status.
    ///
    /// - Parameter reconciles: whether this gateway tells a box that it has published everything again.
    /// - Returns: whether the box came online or has a new session: payments for it may be due.
    package mutating func apply(_ status: BoxStatus, at now: Moment, reconciles: Bool) -> Bool {
        let before = self
        // With each connection the broker sends the last one again, also of a box that died with a broker.
        if let said = status.time, said == self.said { return false }
        said = status.time
        let wasOnline = isOnline(at: now.running)
        (seenAt, seen) = (now.time, now.running)
        onlineSince = status.isOnline ? (wasOnline ? onlineSince : now.running) : nil
        // An epoch counts from the moment that the box can be reached in it.
        if status.isOnline, let epoch = status.session?.epoch { sessionEpoch = epoch }
        // The last will has none.
        if let faults = status.faults { self.faults = faults }
        if reconciles, let old = before.sessionEpoch, let new = sessionEpoch, new > old {
            reconciling = Reconciling(epoch: new)
        }
        return (status.isOnline && !wasOnline) || sessionEpoch != before.sessionEpoch
    }

    /// Whether it is online is not known until its next status.
    mutating func connectionLost() { (onlineSince, seen) = (nil, nil) }

    /// Whether the other one says the same, apart from whether it is online.
    package func isAlike(_ other: KnownBox) -> Bool {
        (sessionEpoch, faults, reconciling) == (other.sessionEpoch, other.faults, other.reconciling)
    }
}
