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
