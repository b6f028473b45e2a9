import SoundboxCore
import SoundboxSpeech

/// Decides when the box says that the network is lost, that it is back, and that the box is ready.
///
///     var watch = NetworkWatch(policy, start: .monotonicNow)
///     for action in watch.connectionChanged(isOnline: true, at: .monotonicNow, isQuiet: false) { perform(action) }
///     sleep(until: watch.nextDue)  // then: watch.advance(to:isQuiet:)
///
/// A state machine without a clock: it takes events with their times and returns actions. After each call, ``nextDue``
/// says when to call ``advance(to:isQuiet:)``.
///
/// "Lost" is said once for each lasting loss, and "back" only after "lost" was heard. A loss lasts until a connection
/// has held for ``proof``: a broker that ends each connection at once leaves the box without payments. So that an
/// unstable network does not cause prompts all day, the next loss must last twice as long after each "lost", until the
/// network has held for ``calm``.
struct NetworkWatch: Sendable {
    enum Action: Sendable, Equatable {
        case say(Prompt)
        /// Withdraw it, unless it has begun to play.
        case withdraw(Prompt)
    }

    /// The shortest grace after a start: Wi-Fi, an address and the broker take time.
    static let startGrace = Duration.seconds(60)
    /// The longest time that a loss must last, after any number of losses.
    static let longestGrace = Duration.seconds(1800)
    /// How long a connection must hold before the loss is over, and "back" is said; shorter if the grace is shorter.
    static let proof = Duration.seconds(10)
    /// After this long online, the grace starts again from the shortest.
    static let calm = Duration.seconds(3600)
    /// How often the end of quiet hours is checked.
    static let quietInterval = Duration.seconds(60)

    private let policy: NetworkPromptSettings
    private var isOnline = false
    /// The time of the last change of ``isOnline``.
    private var since: Duration
    /// When the last loss began.
    private var lostSince: Duration
    private var hasBeenOnline = false
    /// The last network prompt that was heard was "lost".
    private var lostWasHeard = false
    /// Requested and not heard yet.
    private var asked: Prompt?
    /// Whether "ready" was heard or is not wanted.
    private var readyIsSettled: Bool
    /// How many times "lost" was heard since the last calm.
    private var losses = 0
    private var isStopped = false
    /// When to call ``advance(to:isQuiet:)`` next; `nil` if it would do nothing.
    private(set) var nextDue: Duration?

    /// - Parameter start: when the box started, on a monotonic clock.
    init(_ policy: NetworkPromptSettings, start: Duration) {
        self.policy = policy
        since = start
        lostSince = start
        readyIsSettled = !policy.saysReady
    }

    /// Call when the connection was made or has ended. A repeated call makes no difference.
    ///
    /// - Parameter isQuiet: whether it is quiet hours, when no network prompt is spoken.
    mutating func connectionChanged(isOnline: Bool, at now: Duration, isQuiet: Bool) -> [Action] {
        guard isOnline != self.isOnline else { return advance(to: now, isQuiet: isQuiet) }
        if isOnline {
            // The box has said, or says now, that it is ready.
            if !hasBeenOnline { lostSince = now }
            hasBeenOnline = true
        } else {
            if now - since >= Self.calm { losses = 0 }
            if now - since >= proof { lostSince = now }
        }
        self.isOnline = isOnline
        since = now
        // The loss lasts until the connection has held.
        if asked == .networkLost, !isOnline || readyIsSettled { return advance(to: now, isQuiet: isQuiet) }
        // The requested prompt is no longer true.
        let withdrawn = asked.take().map { [Action.withdraw($0)] } ?? []
        return withdrawn + advance(to: now, isQuiet: isQuiet)
    }

    /// Call when a prompt was played to its end, also if it was withdrawn too late.
    mutating func heard(_ prompt: Prompt, at now: Duration, isQuiet: Bool) -> [Action] {
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

    /// Call when the box stops: nothing more is said.
    mutating func stop() -> [Action] {
        isStopped = true
        nextDue = nil
        return asked.take().map { [.withdraw($0)] } ?? []
    }

    /// Call at ``nextDue``.
    mutating func advance(to now: Duration, isQuiet: Bool) -> [Action] {
        nextDue = nil
        if !isStopped, isOnline, asked == .networkLost {
            guard now >= since + proof else {
                nextDue = since + proof
                return []
            }
            asked = nil
            return [.withdraw(.networkLost)] + advance(to: now, isQuiet: isQuiet)
        }
        guard !isStopped, asked == nil, let (prompt, due) = dueNext else { return [] }
        guard now >= due else {
            nextDue = due
            return []
        }
        if isQuiet, prompt == .greeting {
            // "Ready" is not said hours later, after quiet hours.
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

    /// The next prompt if nothing changes, and when it is due.
    private var dueNext: (Prompt, Duration)? {
        if isOnline {
            if !readyIsSettled { return (.greeting, since) }
            return policy.saysNetwork && lostWasHeard ? (.networkRestored, since + proof) : nil
        }
        guard !lostWasHeard else { return nil }
        if hasBeenOnline { return policy.saysNetwork ? (.networkLost, lostSince + grace) : nil }
        // After a start, "lost" is said instead of "ready".
        return policy.saysNetwork || policy.saysReady
            ? (.networkLost, lostSince + max(grace, Self.startGrace)) : nil
    }

    private var proof: Duration { min(policy.grace, Self.proof) }

    private var grace: Duration { min(policy.grace * (1 << min(losses, 10)), max(policy.grace, Self.longestGrace)) }
}
