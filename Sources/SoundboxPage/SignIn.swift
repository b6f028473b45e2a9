import SoundboxCore
import Synchronization

/// Outlives a page that is made anew, with other settings or a renewed certificate.
final class SharedSignIn: Sendable {
    let state = Mutex(SignIn())
}

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
        let code: SignInCode
        let askedAt: Duration
        var guessesLeft = SignIn.guesses
    }

    enum Outcome: Equatable {
        case right
        case wrong(left: Int)
        /// None is in force.
        case expired
    }

    /// The last two that the box was asked to say, the newest last. The one before may be sounding only now, behind
    /// payments; and of the newest nobody knows what became of it, when the box does not answer.
    private var inForce: [Pending] = []
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

    /// The box is about to be asked to say it.
    mutating func ask(_ code: SignInCode, at now: Duration) {
        inForce = inForce.suffix(1) + [Pending(code: code, askedAt: now)]
        askedAt = now
        unused += 1
    }

    /// The box has refused: it counts as nothing, but that somebody has asked.
    mutating func isRefused(_ code: SignInCode) {
        guard inForce.last?.code == code else { return }
        inForce.removeLast()
        unused -= 1
    }

    mutating func guess(_ text: String, at now: Duration) -> Outcome {
        inForce.removeAll { now - $0.askedAt >= Self.lifetime }
        guard !inForce.isEmpty else { return .expired }
        // Phones put blanks between digits, and some keyboards have digits of their own.
        let digits = text.compactMap(\.wholeNumberValue).map(String.init).joined()
        if inForce.contains(where: { $0.code.text == digits }) {
            inForce = []
            unused = 0
            return .right
        }
        for index in inForce.indices { inForce[index].guessesLeft -= 1 }
        let left = inForce.last?.guessesLeft ?? 0
        inForce.removeAll { $0.guessesLeft == 0 }
        return .wrong(left: left)
    }
}
