import SoundboxCore
import Synchronization

/// Kept while the page is made again with other settings or a renewed certificate.
final class SharedSignIn: Sendable {
    let state = Mutex(SignIn())
}

/// The valid code, and the limits of requests and guesses. A value; its owner keeps the time.
///
/// A code has three guesses. After ``unusedTolerated`` unused codes in a row, the rest between codes doubles, up to ten
/// minutes: to guess six digits then takes years. Until then, somebody at the counter waits for 20 s at most.
struct SignIn: Sendable {
    static let lifetime = Duration.seconds(120)
    static let guesses = 3
    /// The time between two codes. Longer than it takes to say a code twice.
    static let rest = Duration.seconds(20)
    static let longestRest = Duration.seconds(600)
    /// How many unused codes in a row do not lengthen the rest.
    static let unusedTolerated = 3

    private struct Pending {
        let code: SignInCode
        let askedAt: Duration
        var guessesLeft = SignIn.guesses
    }

    enum Outcome: Equatable {
        case right
        case wrong(left: Int)
        /// No code is valid.
        case expired
    }

    /// The last two codes, the newest last. The earlier one may be spoken only now, after payments. And if the box does
    /// not answer, it is unknown whether it will say the newest.
    private var inForce: [Pending] = []
    private var askedAt: Duration?
    /// Codes in a row that were not used.
    private var unused = 0

    /// How long to wait before the next request for a code; zero if one is allowed.
    /// - Parameter now: on the monotonic clock.
    func wait(at now: Duration) -> Duration {
        guard let askedAt else { return .zero }
        let doublings = max(0, unused - Self.unusedTolerated)
        let rest = min(Self.rest * (1 << min(doublings, 10)), Self.longestRest)
        return max(askedAt + rest - now, .zero)
    }

    /// Call before the box is asked to say the code.
    mutating func ask(_ code: SignInCode, at now: Duration) {
        inForce = inForce.suffix(1) + [Pending(code: code, askedAt: now)]
        askedAt = now
        unused += 1
    }

    /// Call if the box refuses the code. Only the time of the request still counts.
    mutating func isRefused(_ code: SignInCode) {
        guard inForce.last?.code == code else { return }
        inForce.removeLast()
        unused -= 1
    }

    mutating func guess(_ text: String, at now: Duration) -> Outcome {
        inForce.removeAll { now - $0.askedAt >= Self.lifetime }
        guard !inForce.isEmpty else { return .expired }
        // Phones may insert blanks, and some keyboards have digits of other scripts.
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
