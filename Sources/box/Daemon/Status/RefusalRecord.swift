import SoundboxCore

/// Counts notices that were refused because of their content, for 24 hours. It has at most 1,440 entries, one a minute.
/// Times are on the monotonic clock.
package struct RefusalRecord: Sendable, Equatable {
    /// How long they are counted. A shop that closes at night still sees them in the morning.
    static let memory = Duration.seconds(24 * 3600)
    /// The resolution of the count, and the shortest time between two prompts about refusals.
    static let minute = Duration.seconds(60)

    /// Refusals within a minute from `start` on.
    struct Minute: Sendable, Equatable {
        let start: Duration
        var count: Int
    }

    /// Oldest first.
    private(set) var minutes: [Minute] = []
    private var last: RefusedNotices.Notice?
    private var lastPrompt: Duration?

    package init() {}

    /// Counts the refusals of one batch, in order.
    /// - Returns: whether the box must say so.
    mutating func add(_ notices: [RefusedNotices.Notice], at now: Duration) -> Bool {
        guard let last = notices.last else { return false }
        forget(at: now)
        if let latest = minutes.last, now - latest.start < Self.minute {
            minutes[minutes.count - 1].count += notices.count
        } else {
            minutes.append(Minute(start: now, count: notices.count))
        }
        self.last = last
        if let lastPrompt, now - lastPrompt < Self.minute { return false }
        lastPrompt = now
        return true
    }

    /// Forgets minutes older than ``memory``.
    mutating func forget(at now: Duration) {
        minutes.removeFirst(minutes.prefix { now - $0.start >= Self.memory }.count)
    }

    /// The refusals of the last ``memory``; `nil` for none.
    package var notices: RefusedNotices? {
        guard let last, !minutes.isEmpty else { return nil }
        return RefusedNotices(count: minutes.reduce(0) { $0 + $1.count }, last: last)
    }
}
