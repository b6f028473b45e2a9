import CALSA

/// One playback control of a card's mixer, as it stands.
public struct MixerControl: Sendable, Equatable {
    public var name: String
    public var index: Int
    /// `nil` for one without a switch. A control of several channels is on while any of them is.
    public var isOn: Bool?
    /// 0–100 of its steps, of the loudest channel; `nil` for one without a volume.
    public var percent: Int?

    public init(name: String, index: Int = 0, isOn: Bool? = nil, percent: Int? = nil) {
        self.name = name
        self.index = index
        self.isOn = isOn
        self.percent = percent
    }

    /// Whether nothing that goes through it is heard.
    public var isSilent: Bool { isOn == false || percent == 0 }

    /// Whether it stands on the way from the box to the loudspeaker, as far as its name tells: the others feed inputs
    /// through, and are usually and rightly off. The names are those of the kernel's
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
    /// The playback controls of a card.
    ///
    /// - Parameter card: as ``MixerElement/card``.
    /// - Returns: `nil` when the card has no mixer that this user may open.
    public static func mixerControls(of card: String) -> [MixerControl]? {
        guard let mixer = try? ALSAMixer.mixer(of: card) else { return nil }
        defer { snd_mixer_close(mixer) }
        return ALSAMixer.elements(of: mixer).compactMap(control)
    }

    private static func control(_ element: OpaquePointer) -> MixerControl? {
        let channels = (SND_MIXER_SCHN_FRONT_LEFT.rawValue...SND_MIXER_SCHN_LAST.rawValue)
            .map { snd_mixer_selem_channel_id_t($0) }.filter { snd_mixer_selem_has_playback_channel(element, $0) != 0 }
        var control = MixerControl(
            name: String(cString: snd_mixer_selem_get_name(element)), index: Int(snd_mixer_selem_get_index(element)))
        if snd_mixer_selem_has_playback_switch(element) != 0 {
            control.isOn = channels.contains { channel in
                var isOn: Int32 = 0
                return snd_mixer_selem_get_playback_switch(element, channel, &isOn) == 0 && isOn != 0
            }
        }
        var (low, high) = (0, 0)
        if snd_mixer_selem_has_playback_volume(element) != 0,
            snd_mixer_selem_get_playback_volume_range(element, &low, &high) == 0, low < high
        {
            let loudest = channels.compactMap { channel in
                var value = 0
                return snd_mixer_selem_get_playback_volume(element, channel, &value) == 0 ? value : nil
            }.max()
            // Rounded up: only the very bottom is 0.
            control.percent = loudest.map { (($0 - low) * 100 + high - low - 1) / (high - low) }
        }
        return control.isOn == nil && control.percent == nil ? nil : control
    }
}
