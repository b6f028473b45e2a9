/// When a connection is to be probed, and when it is given up (MQTT 3.1.1, section 3.1.2.10). Pure: it is told the time,
/// on any clock that never jumps.
struct KeepAlive {
    enum Verdict: Equatable { case alive, pingIsDue, dead }

    /// After how much silence, in either direction, a PINGREQ is due; and how long the broker may stay silent after that.
    let interval: Duration
    private var lastHeard: Duration
    private var lastSent: Duration
    private var lastPing = Duration.zero
    /// PINGREQs without a PINGRESP. There may be several while a message of 200 MB stands in the way of the answers.
    private var unanswered = 0

    /// - Parameter start: when the connection was begun.
    init(interval: Duration, start: Duration) {
        self.interval = interval
        lastHeard = start
        lastSent = start
    }

    /// Bytes have arrived. Whatever they are, they show that the broker is there.
    mutating func heard(at now: Duration) { lastHeard = now }

    /// Bytes have left.
    mutating func sent(at now: Duration) { lastSent = now }

    /// A PINGRESP has arrived.
    ///
    /// - Returns: whether it answers anything.
    mutating func answered() -> Bool {
        guard unanswered > 0 else { return false }
        unanswered -= 1
        return true
    }

    /// To be called at least every few seconds. `pingIsDue` is said once, and means that one is sent.
    mutating func check(at now: Duration) -> Verdict {
        if unanswered > 0, now - max(lastPing, lastHeard) >= interval { return .dead }
        let silence = now - (unanswered == 0 ? min(lastHeard, lastSent) : max(lastPing, lastSent))
        guard silence >= interval else { return .alive }
        unanswered += 1
        lastPing = now
        return .pingIsDue
    }
}
