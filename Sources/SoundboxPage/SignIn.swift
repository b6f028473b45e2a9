import SoundboxCore

/// The code that is in force, and how often somebody may ask for one and guess. A value; its owner keeps the time.
///
/// With three guesses for each code, and ten minutes between codes that nobody uses, a machine that guesses day and night
/// needs years; somebody at the counter waits for twenty seconds at most.
struct SignIn: Sendable {
    static let lifetime = Duration.seconds(120)
    static let guesses = 3
    /// Longer than it takes to say a code, and once more.
    static let rest = Duration.seconds(20)
    static let longestRest = Duration.seconds(600)
    /// Of the codes that were asked for in a row and not used, so many cost no more than the rest.
    static let unusedTolerated = 3

    private struct Pending {
        var code: SignInCode
        var saidAt: Duration
        var guessesLeft = SignIn.guesses
    }

    enum Outcome: Equatable {
        case right
        case wrong(left: Int)
        /// None is in force.
        case expired
    }

    private var pending: Pending?
    /// In force before it, in case the box does not say the new one.
    private var before: Pending?
    private var askedAt: Duration?
    /// Codes in a row that were not used.
    private var unused = 0

    /// How long to wait before a code may be asked for; zero when it may be.
    /// - Parameter now: on a clock that is never set.
    func wait(at now: Duration) -> Duration {
        guard let askedAt else { return .zero }
        let doublings = max(0, unused - Self.unusedTolerated)
        let rest = min(Self.rest * (1 << min(doublings, 10)), Self.longestRest)
        return max(askedAt + rest - now, .zero)
    }

    /// The code was said. The one before is good no more.
    mutating func said(_ code: SignInCode, at now: Duration) {
        before = pending
        pending = Pending(code: code, saidAt: now)
        askedAt = now
        unused += 1
    }

    /// The box has not said it: it counts as nothing, but that somebody has asked. The one before stays good.
    mutating func wasNotSaid(_ code: SignInCode) {
        guard pending?.code == code else { return }
        pending = before
        unused -= 1
    }

    mutating func guess(_ text: String, at now: Duration) -> Outcome {
        guard var current = pending, now - current.saidAt < Self.lifetime else {
            pending = nil
            return .expired
        }
        // Phones put blanks between digits, and some keyboards have digits of their own.
        let digits = text.compactMap(\.wholeNumberValue).map(String.init).joined()
        if digits == current.code.text {
            pending = nil
            unused = 0
            return .right
        }
        current.guessesLeft -= 1
        pending = current.guessesLeft > 0 ? current : nil
        return .wrong(left: current.guessesLeft)
    }
}
