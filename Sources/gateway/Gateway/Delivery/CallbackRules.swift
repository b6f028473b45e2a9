import SoundboxCore

/// When an event is sent again, and when it is given up. Pure. docs/gateway.md, "Callbacks", has the same in words.
package enum CallbackRules {
    /// After the first attempt; doubled with each one.
    static let firstPause = Duration.seconds(5)
    static let longestPause = Duration.seconds(3600)
    /// One that was not taken until then is given up.
    package static let lifetime = Duration.seconds(72 * 3600)
    /// For one attempt.
    static let timeout = Duration.seconds(10)
    static let mostAnswerBytes = 4096

    /// Until the next attempt.
    package static func pause(after attempts: Int) -> Duration {
        min(longestPause, firstPause * (1 << min(max(attempts - 1, 0), 10)))
    }
}

/// How much may be sent to a receiver at once. One that takes nothing is asked with one event only, more and more seldom:
/// thousands may wait for it. Times are of the monotonic clock.
struct ReceiverHealth: Sendable {
    static let window = 32
    static let longestPause = Duration.seconds(60)

    /// Attempts in vain since the last one that was not. Those that were under way together count as one.
    private(set) var failures = 0
    private var lastFailure: Duration?

    var isGood: Bool { failures == 0 }

    /// When the next one may be sent; `nil` is at once.
    var pausedUntil: Duration? {
        lastFailure.map { $0 + min(Self.longestPause, .seconds(1 << min(failures - 1, 10))) }
    }

    func room(inFlight: Int, at now: Duration) -> Int {
        if let pausedUntil, now < pausedUntil { return 0 }
        return max(0, (isGood ? Self.window : 1) - inFlight)
    }

    mutating func succeeded() { (failures, lastFailure) = (0, nil) }

    mutating func failed(sentAt start: Duration, at now: Duration) {
        if let lastFailure, start < lastFailure { return }
        failures += 1
        lastFailure = now
    }
}
