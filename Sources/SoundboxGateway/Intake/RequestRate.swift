import SoundboxCore

/// How many requests a token may send: a bucket that fills by ``perSecond`` and holds ``burst``. Pure.
struct RequestRate: Sendable {
    /// Twice and a half of what one process is made for.
    static let perSecond = 500.0
    static let burst = 1000.0

    private var tokens = burst
    private var last: Duration

    init(at now: Duration) { last = now }

    /// Takes one; `false` when there is none.
    ///
    /// - Parameter now: on a clock that only rises.
    mutating func take(at now: Duration) -> Bool {
        let seconds = Double((now - last).components.seconds) + Double((now - last).components.attoseconds) / 1e18
        tokens = min(Self.burst, tokens + max(0, seconds) * Self.perSecond)
        last = now
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }
}
