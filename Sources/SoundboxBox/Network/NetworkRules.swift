import SoundboxCore
import SoundboxSpeech

/// Decides when the box says that the network is lost, that it is back, and that the box is ready.
///
/// A state machine without a clock. It is told what happens, and when, and answers with what is to be done. After each
/// answer, ``nextDue`` says when it wants to be asked again.
///
/// Lost is said once for each loss that lasts, and found only after lost was heard. A network that comes and goes must not
/// talk all day: after each time that lost was heard, the next loss has to last twice as long, until the network has held
/// for ``calm``.
public struct NetworkWatch: Sendable {
    public enum Action: Sendable, Equatable {
        case say(Prompt)
        /// Take it back, unless it has begun to sound.
        case withdraw(Prompt)
    }

    /// A box that has just started gets this long at least: Wi-Fi, an address and the broker take their time.
    static let startGrace = Duration.seconds(60)
    /// The longest that a loss has to last, however often there were others.
    static let longestGrace = Duration.seconds(1800)
    /// How long the network has to be back before that is said; less where the grace is shorter.
    static let proof = Duration.seconds(10)
    /// After this long without a loss the first grace counts again.
    static let calm = Duration.seconds(3600)
    /// How often it is looked whether quiet hours are over.
    static let quietInterval = Duration.seconds(60)

    private let policy: NetworkPromptPolicy
    private var isOnline = false
    /// Since when it is so.
    private var since: Duration
    private var hasBeenOnline = false
    /// What the shop was told last was that the network is lost.
    private var lostWasHeard = false
    /// Was asked for, and has not been heard.
    private var asked: Prompt?
    /// Whether "ready" was heard, or is not to be said.
    private var readyIsSettled: Bool
    /// How often lost was heard since the last calm.
    private var losses = 0
    private var isStopped = false
    /// When ``advance(to:isQuiet:)`` is to be called next; `nil` when nothing will come of it.
    public private(set) var nextDue: Duration?

    /// - Parameter start: when the box has started, on any clock that is not set.
    public init(_ policy: NetworkPromptPolicy, start: Duration) {
        self.policy = policy
        since = start
        readyIsSettled = !policy.saysReady
    }

    /// The connection was made or has ended; told again, it makes no difference.
    ///
    /// - Parameter isQuiet: whether nothing is to be said at this hour.
    public mutating func connectionChanged(isOnline: Bool, at now: Duration, isQuiet: Bool) -> [Action] {
        guard isOnline != self.isOnline else { return advance(to: now, isQuiet: isQuiet) }
        if !isOnline, now - since >= Self.calm { losses = 0 }
        self.isOnline = isOnline
        since = now
        if isOnline { hasBeenOnline = true }
        // It was true when it was asked for.
        let withdrawn = asked.take().map { [Action.withdraw($0)] } ?? []
        return withdrawn + advance(to: now, isQuiet: isQuiet)
    }

    /// A prompt was played to its end: also one that was taken back too late.
    public mutating func heard(_ prompt: Prompt, at now: Duration, isQuiet: Bool) -> [Action] {
        switch prompt {
        case .networkLost:
            lostWasHeard = true
            losses += 1
        case .networkRestored: lostWasHeard = false
        case .greeting:
            lostWasHeard = false
            readyIsSettled = true
        default: return []
        }
        if asked == prompt { asked = nil }
        return advance(to: now, isQuiet: isQuiet)
    }

    /// The box is being stopped: nothing is said any more.
    public mutating func stop() -> [Action] {
        isStopped = true
        nextDue = nil
        return asked.take().map { [.withdraw($0)] } ?? []
    }

    /// Time has passed.
    public mutating func advance(to now: Duration, isQuiet: Bool) -> [Action] {
        nextDue = nil
        guard !isStopped, asked == nil, let (prompt, due) = dueNext else { return [] }
        guard now >= due else {
            nextDue = due
            return []
        }
        if isQuiet, prompt == .greeting {
            // In the morning nobody asks whether the box has started.
            readyIsSettled = true
            return advance(to: now, isQuiet: isQuiet)
        }
        if isQuiet {
            nextDue = now + Self.quietInterval
            return []
        }
        asked = prompt
        return [.say(prompt)]
    }

    /// What is to be said if things stay as they are, and when.
    private var dueNext: (Prompt, Duration)? {
        if isOnline {
            if !readyIsSettled { return (.greeting, since) }
            return policy.saysNetwork && lostWasHeard ? (.networkRestored, since + min(policy.grace, Self.proof)) : nil
        }
        guard !lostWasHeard else { return nil }
        if hasBeenOnline { return policy.saysNetwork ? (.networkLost, since + grace) : nil }
        // At a start it belongs to what "ready" answers.
        return policy.saysNetwork || policy.saysReady
            ? (.networkLost, since + max(grace, Self.startGrace)) : nil
    }

    private var grace: Duration { min(policy.grace * (1 << min(losses, 10)), max(policy.grace, Self.longestGrace)) }
}
