/// How long to wait before the next connection attempt.
///
/// The wait doubles from `initial` to `maximum`. Each one is drawn at random from its upper half, so that ten thousand
/// boxes do not return to a restarted broker in the same second.
struct Backoff {
    let initial: Duration
    let maximum: Duration
    private var ceiling: Duration

    init(initial: Duration = .milliseconds(500), maximum: Duration = .seconds(30)) {
        self.initial = initial
        self.maximum = maximum
        ceiling = initial
    }

    /// The next wait.
    ///
    /// - Parameter random: a number from 0 up to 1.
    mutating func next(random: () -> Double = { Double.random(in: 0..<1) }) -> Duration {
        let delay = ceiling / 2 + ceiling / 2 * random()
        ceiling = min(ceiling * 2, maximum)
        return delay
    }

    /// The next wait after a broker that runs no more has refused the connection: once as long as `window` or up to twice
    /// that, where the waits would be shorter.
    ///
    /// Those who come back at random moments of `window` are as many in each second as its broker can bear. The first of
    /// them, who find nobody, may not come again on top of the others.
    mutating func nextAfterRefusal(
        window: Duration, random: () -> Double = { Double.random(in: 0..<1) }
    ) -> Duration {
        if ceiling < window * 2 { ceiling = min(window * 2, max(maximum, window)) }
        return next(random: random)
    }

    /// Whether the last connection proved itself, and no attempt has failed since.
    var isFresh: Bool { ceiling == initial }

    /// Starts again from `initial`, because the connection proved itself.
    mutating func reset() { ceiling = initial }
}
