/// Turns presses and releases into actions, by a ``GestureMap``.
///
///     var gestures = Gestures(.usual)
///     for action in gestures.handle(edge) { perform(action) }
///     let deadline = gestures.nextDeadline  // call advance(to:) then
///
/// A click acts when the button goes down, so that the box responds at once. If the same press may still become a
/// double click or a long press, the click waits until that is excluded.
///
/// This is a state machine without a clock. Edges carry their time, and ``nextDeadline`` says when to call
/// ``advance(to:)``. All times are of the clock that stamped the edges. ``Debouncer`` has removed the bounce, but edges
/// may be lost. A release without a press is ignored: the button was held down while the box started. A press of a
/// button that is already down is a new press; its release was lost.
public struct Gestures: Sendable {
    /// The actions of gestures; the raw values are used in board files.
    public enum Action: String, Sendable, CaseIterable {
        case volumeUp = "volume_up"
        case volumeDown = "volume_down"
        /// Speak the last announced payment again.
        case replay
        /// Speak the one before it.
        case replayPrevious = "replay_previous"
        /// Speak count and total of the day.
        case today
        /// Speak whether payments can arrive, and the box's address in the shop's network.
        case network
        /// Warn of what happens if these buttons are held any longer.
        case unprovisionWarning = "unprovision_warning"
        /// Take the box out of service; only after the warning was heard.
        case unprovision
    }

    /// How long a button is down before the click repeats.
    public static let holdDelay = Duration.milliseconds(500)
    /// The time between two repetitions: from silent to full volume, ten steps of ``Volume/step``, in two seconds.
    public static let repeatInterval = Duration.milliseconds(200)
    /// Nobody holds a button on purpose for this many repetitions, which take ten seconds: it is stuck, or its release
    /// was lost. It is used again after its next press.
    public static let repeatLimit = 50
    /// How long a button is down before it is a long press.
    public static let longDelay = Duration.milliseconds(1000)
    /// How long after a release a second press makes a double click. Desktops allow 400 ms from press to press; this is
    /// the same without the press itself.
    public static let doubleWindow = Duration.milliseconds(300)
    /// The buttons of a chord go down within this time of each other. A button that has been down for longer is stuck,
    /// or belongs to another gesture.
    public static let chordWindow = Duration.milliseconds(500)

    /// The current gesture of one button. A button at rest is not in the table.
    private enum Phase {
        case repeating(next: Duration, left: Int)
        /// Down; a long press at `longAt`, if it has one.
        case undecided(longAt: Duration?)
        /// Up again; a click at this time, unless a second press comes before.
        case awaitingSecond(until: Duration)
    }

    /// Buttons that went down together and have all been down since.
    private struct HeldChord {
        var since: Duration
        /// The remaining chords, the soonest first.
        var pending: [GestureMap.Chord]
    }

    private let map: GestureMap
    private var phases: [Button: Phase] = [:]
    /// The buttons that are known to be down, and since when.
    private var pressed: [Button: Duration] = [:]
    private var chord: HeldChord?

    public init(_ map: GestureMap = .usual) {
        self.map = map
    }

    /// When ``advance(to:)`` has something to do; `nil` while nothing is pending.
    public var nextDeadline: Duration? {
        (phases.values.compactMap(Self.deadline) + [chordDeadline].compactMap(\.self)).min()
    }

    /// Takes one edge, in order of time.
    /// - Returns: what to do, in order; it includes what was due before the edge.
    public mutating func handle(_ edge: ButtonEdge) -> [Action] {
        let due = advance(to: edge.time)
        return due + (edge.isPressed ? press(edge.button, at: edge.time) : release(edge.button, at: edge.time))
    }

    /// Does what is due. Each button repeats only once, however late the call comes: a box that hung for a second must
    /// not jump to full volume afterwards.
    public mutating func advance(to now: Duration) -> [Action] {
        var actions: [Action] = []
        for button in Button.allCases {
            guard let phase = phases[button], let deadline = Self.deadline(of: phase), deadline <= now else { continue }
            let meaning = meaning(of: button)
            switch phase {
            case .repeating(_, let left):
                actions += meaning.hold.map { [$0] } ?? []
                phases[button] = left > 1 ? .repeating(next: now + Self.repeatInterval, left: left - 1) : nil
            case .undecided:
                actions += meaning.long.map { [$0] } ?? []
                phases[button] = nil
            case .awaitingSecond:
                actions += meaning.click.map { [$0] } ?? []
                phases[button] = nil
            }
        }
        while let held = chord, let next = held.pending.first, held.since + next.duration <= now {
            actions.append(next.action)
            chord?.pending.removeFirst()
        }
        return actions
    }

    private mutating func press(_ button: Button, at time: Duration) -> [Action] {
        pressed[button] = time
        let meaning = meaning(of: button)
        // A button that acts when it goes down also does so in a chord. Louder and softer then cancel each other out.
        if beginChord(at: time) { return meaning.isAmbiguous ? [] : meaning.click.map { [$0] } ?? [] }
        if case .awaitingSecond = phases[button] {
            phases[button] = nil
            return meaning.double.map { [$0] } ?? []
        }
        if meaning.isAmbiguous {
            phases[button] = .undecided(longAt: meaning.long.map { _ in time + Self.longDelay })
            return []
        }
        phases[button] = meaning.hold.map { _ in .repeating(next: time + Self.holdDelay, left: Self.repeatLimit) }
        return meaning.click.map { [$0] } ?? []
    }

    private mutating func release(_ button: Button, at time: Duration) -> [Action] {
        pressed[button] = nil
        chord = nil
        guard case .undecided = phases[button] else {
            // A release whose press was lost must not end the wait for a second click.
            if case .repeating = phases[button] { phases[button] = nil }
            return []
        }
        let meaning = meaning(of: button)
        guard meaning.double != nil else {
            phases[button] = nil
            return meaning.click.map { [$0] } ?? []
        }
        phases[button] = .awaitingSecond(until: time + Self.doubleWindow)
        return []
    }

    /// Whether the buttons that are down make a chord. A chord cancels the gesture that each button had begun by
    /// itself, but not a click that has already acted.
    private mutating func beginChord(at time: Duration) -> Bool {
        let together = Set(pressed.filter { time - $0.value <= Self.chordWindow }.keys)
        let matching = map.chords.filter { $0.buttons == together }.sorted { $0.duration < $1.duration }
        guard together.count > 1, !matching.isEmpty else { return false }
        for button in together { phases[button] = nil }
        chord = HeldChord(since: time, pending: matching)
        return true
    }

    private var chordDeadline: Duration? {
        chord.flatMap { chord in chord.pending.first.map { chord.since + $0.duration } }
    }

    private func meaning(of button: Button) -> GestureMap.Meaning { map.buttons[button] ?? GestureMap.Meaning() }

    private static func deadline(of phase: Phase) -> Duration? {
        switch phase {
        case .repeating(let next, _): next
        case .undecided(let longAt): longAt
        case .awaitingSecond(let until): until
        }
    }
}

/// What each gesture of the buttons does; a board's file may change it.
///
///     var map = GestureMap.usual
///     map.buttons[.replay] = GestureMap.Meaning(click: .replay)
public struct GestureMap: Sendable, Equatable {
    /// What one button does by itself.
    public struct Meaning: Sendable, Equatable {
        public var click: Gestures.Action?
        /// Two clicks in quick succession.
        public var double: Gestures.Action?
        /// Held for ``Gestures/longDelay``.
        public var long: Gestures.Action?
        /// Repeated while the button is held.
        public var hold: Gestures.Action?

        public init(
            click: Gestures.Action? = nil, double: Gestures.Action? = nil, long: Gestures.Action? = nil,
            hold: Gestures.Action? = nil
        ) {
            self.click = click
            self.double = double
            self.long = long
            self.hold = hold
        }

        /// Whether a press alone does not decide which gesture it is.
        var isAmbiguous: Bool { double != nil || long != nil }
    }

    /// Several buttons that are pressed together and held.
    public struct Chord: Sendable, Equatable {
        /// Two or more.
        public var buttons: Set<Button>
        public var duration: Duration
        public var action: Gestures.Action

        public init(_ buttons: Set<Button>, heldFor duration: Duration, means action: Gestures.Action) {
            self.buttons = buttons
            self.duration = duration
            self.action = action
        }
    }

    public var buttons: [Button: Meaning]
    /// The same buttons may occur more than once with different durations, such as for a warning and its action.
    public var chords: [Chord]

    public init(buttons: [Button: Meaning], chords: [Chord] = []) {
        self.buttons = buttons
        self.chords = chords
    }

    /// For a board whose file has no gestures.
    ///
    /// The warning lasts three seconds, and three more are left to release the buttons.
    public static let usual = GestureMap(
        buttons: [
            .volumeUp: Meaning(click: .volumeUp, hold: .volumeUp),
            .volumeDown: Meaning(click: .volumeDown, hold: .volumeDown),
            .replay: Meaning(click: .replay, double: .replayPrevious, long: .today),
        ],
        chords: [
            Chord([.volumeUp, .volumeDown], heldFor: .seconds(5), means: .network),
            Chord([.replay, .volumeDown], heldFor: .seconds(4), means: .unprovisionWarning),
            Chord([.replay, .volumeDown], heldFor: .seconds(10), means: .unprovision),
        ])
}
