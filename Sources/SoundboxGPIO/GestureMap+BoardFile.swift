import SoundboxCore
import SoundboxYAML

extension GestureMap {
    /// The shortest and longest time for which a chord may have to be held.
    fileprivate static let chordDurations = Duration.seconds(1) ... .seconds(30)

    /// The usual map with what a board's file says otherwise: a button that it names means what it says there, and
    /// nothing else.
    init(gestures: YAMLValue?, chords: YAMLValue?) throws(YAMLError) {
        self = .usual
        if let mapping = try gestures?.mapping() {
            try mapping.allow(only: Button.allCases.map(\.rawValue))
            for button in Button.allCases {
                guard let value = mapping.optional(button.rawValue) else { continue }
                buttons[button] = try Meaning(reading: value)
            }
        }
        for value in try chords?.list() ?? [] { self.chords.append(try Chord(reading: value)) }
    }
}

extension GestureMap.Meaning {
    fileprivate init(reading value: YAMLValue) throws(YAMLError) {
        let mapping = try value.mapping()
        try mapping.allow(only: ["click", "double", "long", "hold"])
        func action(_ key: String) throws(YAMLError) -> Gestures.Action? {
            try mapping.optional(key)?.choice(of: Gestures.Action.self)
        }
        self.init(
            click: try action("click"), double: try action("double"), long: try action("long"),
            hold: try action("hold"))
        guard hold == nil || (double == nil && long == nil) else {
            throw value.error("a button that repeats while held cannot have a double or long press as well")
        }
    }
}

extension GestureMap.Chord {
    fileprivate init(reading value: YAMLValue) throws(YAMLError) {
        let mapping = try value.mapping()
        try mapping.allow(only: ["buttons", "held", "action"])
        var buttons: Set<Button> = []
        let names = try mapping.required("buttons")
        for name in try names.list() { buttons.insert(try name.choice(of: Button.self)) }
        guard buttons.count > 1 else { throw names.error("a chord is two buttons or more") }
        self.init(
            buttons, heldFor: try mapping.required("held").duration(in: GestureMap.chordDurations),
            means: try mapping.required("action").choice(of: Gestures.Action.self))
    }
}
