import CALSA

/// The state of one playback control of a card's mixer. The lowest of its channels counts, because the box's
/// loudspeaker may be on any.
public struct MixerControl: Sendable, Equatable {
    public var name: String
    public var index: Int
    /// `nil` for a control without a switch.
    public var isOn: Bool?
    /// 0–100 of its steps; `nil` for a control without a volume.
    public var percent: Int?
    /// In hundredths of a decibel; `nil` when the card does not say.
    public var decibels: Int?

    public init(name: String, index: Int = 0, isOn: Bool? = nil, percent: Int? = nil, decibels: Int? = nil) {
        self.name = name
        self.index = index
        self.isOn = isOn
        self.percent = percent
        self.decibels = decibels
    }

    /// Whether it silences everything that goes through it.
    public var isSilent: Bool { isOn == false || percent == 0 }

    /// Whether it lies between the box and the loudspeaker, judged by its name. Other controls feed inputs through and
    /// are usually off for good reason. The names are those of the kernel's
    /// Documentation/sound/designs/control-names.rst.
    public var isOnTheWay: Bool {
        let inputs = [
            "Mic", "Line In", "Aux", "CD", "Video", "Phone", "Synth", "FM", "Beep", "PC Speaker", "Loopback",
            "Sidetone", "Capture", "Input", "IEC958", "Auto",
        ]
        return name != "Line" && !inputs.contains { name == $0 || name.hasPrefix("\($0) ") }
    }
}

extension ALSACards {
    /// The playback controls of a card. Blocks as long as the card's driver does.
    ///
    /// - Parameter card: the name of an ALSA control device, such as `hw:CARD=Device`.
    /// - Returns: `nil` when the card has no mixer that this user may open.
    public static func mixerControls(of card: String) -> [MixerControl]? {
        let mixer = ALSAMixer()
        guard (try? mixer.open(card)) != nil else { return nil }
        return mixer.controls
    }
}
