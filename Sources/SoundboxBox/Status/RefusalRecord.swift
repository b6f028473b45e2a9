import SoundboxCore

/// Which notices were not announced because of what they say. It holds 1,440 numbers at most, however many come. Times
/// are those of `Duration.monotonicNow`.
package struct RefusalRecord: Sendable, Equatable {
    /// A shop that closes at night still finds them in the morning.
    static let memory = Duration.seconds(24 * 3600)
    /// How finely they are counted. The box says no more than once in this time that there was one.
    static let minute = Duration.seconds(60)

    /// Those that came within a minute from `start` on.
    struct Minute: Sendable, Equatable {
        let start: Duration
        var count: Int
    }

    /// In order.
    private(set) var minutes: [Minute] = []
    private var last: RefusedNotices.Notice?
    private var lastPrompt: Duration?

    package init() {}

    /// Notes those of one batch, in order.
    /// - Returns: whether the box is to say so.
    mutating func note(_ notices: [RefusedNotices.Notice], at now: Duration) -> Bool {
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

    /// Forgets what is older than ``memory``, to the minute.
    mutating func forget(at now: Duration) {
        minutes.removeFirst(minutes.prefix { now - $0.start >= Self.memory }.count)
    }

    /// Since ``memory``; `nil` where none came.
    package var notices: RefusedNotices? {
        guard let last, !minutes.isEmpty else { return nil }
        return RefusedNotices(count: minutes.reduce(0) { $0 + $1.count }, last: last)
    }
}
