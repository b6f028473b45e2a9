import SoundboxCore

extension GestureMap {
    /// The shortest and longest time for which a chord may have to be held.
    fileprivate static let chordDurations = Duration.seconds(1) ... .seconds(30)

    /// From the warning to the action. The longest warning of the shipped voices lasts three seconds.
    fileprivate static let timeToLetGo = Duration.seconds(5)

    /// The usual map, changed by a board's file: a button that the file names does only what it says there; the file's
    /// chords, if any, replace the usual ones.
    init(gestures: YAMLValue?, chords: YAMLValue?) throws(YAMLError) {
        self = .usual
        if let mapping = try gestures?.mapping() {
            for button in Button.allCases {
                guard let value = mapping.optional(button.rawValue) else { continue }
                buttons[button] = try Meaning(reading: value)
            }
            try mapping.refuseOtherKeys()
        }
        guard let chords else { return }
        self.chords = []
        for value in try chords.list() { self.chords.append(try Chord(reading: value)) }
        for deed in self.chords where deed.action == .unprovision {
            let isWarnedOf = self.chords.contains {
                $0.action == .unprovisionWarning && $0.buttons == deed.buttons
                    && $0.duration + Self.timeToLetGo <= deed.duration
            }
            guard isWarnedOf else {
                throw chords.error(
                    "unprovision needs unprovision_warning on the same buttons, held 5 s less: nobody may lose a setup "
                        + "unwarned"
                )
            }
        }
    }
}

extension GestureMap.Meaning {
    fileprivate init(reading value: YAMLValue) throws(YAMLError) {
        let mapping = try value.mapping()
        func action(_ key: String) throws(YAMLError) -> Gestures.Action? {
            guard let value = mapping.optional(key) else { return nil }
            let action = try value.choice(of: Gestures.Action.self)
            guard action != .unprovision, action != .unprovisionWarning else {
                throw value.error("\(action.rawValue) is for chords only: one button is too easily held by mistake")
            }
            return action
        }
        self.init(
            click: try action("click"), double: try action("double"), long: try action("long"),
            hold: try action("hold"))
        try mapping.refuseOtherKeys()
        guard hold == nil || (double == nil && long == nil) else {
            throw value.error("a button that repeats while held cannot have a double or long press as well")
        }
    }
}

extension GestureMap.Chord {
    fileprivate init(reading value: YAMLValue) throws(YAMLError) {
        let mapping = try value.mapping()
        var buttons: Set<Button> = []
        let names = try mapping.required("buttons")
        for name in try names.list() { buttons.insert(try name.choice(of: Button.self)) }
        guard buttons.count > 1 else { throw names.error("a chord is two buttons or more") }
        self.init(
            buttons, heldFor: try mapping.required("held").duration(in: GestureMap.chordDurations),
            means: try mapping.required("action").choice(of: Gestures.Action.self))
        try mapping.refuseOtherKeys()
    }
}
