/// Decides when to probe a connection and when to give it up (section 3.1.2.10). Pure: the caller passes the
/// time, from any clock that never jumps.
struct KeepAlive {
    enum Verdict: Equatable { case alive, pingIsDue, dead }

    /// After this much silence in either direction a PINGREQ is due. The broker may then be silent for as long again.
    let interval: Duration
    private var lastHeard: Duration
    private var lastSent: Duration
    private var lastPing = Duration.zero
    /// PINGREQs without a PINGRESP. There may be several, while a message of 200 MB blocks the answers behind it.
    private var unanswered = 0

    /// - Parameter start: when the connection began.
    init(interval: Duration, start: Duration) {
        self.interval = interval
        lastHeard = start
        lastSent = start
    }

    /// Notes that bytes have arrived. Whatever they are, they show that the broker is there.
    mutating func heard(at now: Duration) { lastHeard = now }

    /// Notes that bytes have left.
    mutating func sent(at now: Duration) { lastSent = now }

    /// Notes a PINGRESP.
    ///
    /// - Returns: whether it answers a PINGREQ.
    mutating func answered() -> Bool {
        guard unanswered > 0 else { return false }
        unanswered -= 1
        return true
    }

    /// The moment at which ``check(at:)`` says something else than `alive`, if nothing is heard or sent until then.
    var nextVerdict: Duration {
        if unanswered == 0 { return min(lastHeard, lastSent) + interval }
        return max(lastPing, min(lastHeard, lastSent)) + interval
    }

    /// Call this at least every few seconds. After `pingIsDue` the caller sends a PINGREQ; the verdict comes once for each.
    mutating func check(at now: Duration) -> Verdict {
        guard now >= nextVerdict else { return .alive }
        if unanswered > 0, now - max(lastPing, lastHeard) >= interval { return .dead }
        unanswered += 1
        lastPing = now
        return .pingIsDue
    }
}
