import CALSA
import Glibc

/// alsa-lib's mixer: owns at most one `snd_mixer_t` and closes it exactly once.
final class ALSAMixer: MixerDriver {
    private var mixer: OpaquePointer?

    deinit { close() }

    func open(_ card: String) throws(PCMError) {
        close()
        try check { snd_mixer_open(&mixer, 0) }
        do throws(PCMError) {
            try check { snd_mixer_attach(mixer, card) }
            try check { snd_mixer_selem_register(mixer, nil, nil) }
            try check { snd_mixer_load(mixer) }
        } catch {
            close()
            throw error
        }
    }

    func close() {
        if let mixer { snd_mixer_close(mixer) }
        mixer = nil
    }

    var controls: [MixerControl] { elements.compactMap(Self.control) }

    func apply(_ change: MixerChange, to control: MixerControl) throws(PCMError) {
        guard let element = elements.first(where: { Self.name($0) == (control.name, control.index) }) else {
            throw PCMError(ENOENT)
        }
        try check {
            switch change {
            case .switchOn: snd_mixer_selem_set_playback_switch_all(element, 1)
            case .zeroDecibels: snd_mixer_selem_set_playback_dB_all(element, 0, 1)
            case .eightyPercent:
                snd_mixer_selem_set_playback_volume_all(
                    element, Self.range(of: element).map { $0.lowerBound + $0.count * 4 / 5 } ?? 0)
            }
        }
    }

    private var elements: [OpaquePointer] {
        var elements: [OpaquePointer] = []
        var next = mixer.flatMap { snd_mixer_first_elem($0) }
        while let element = next {
            elements.append(element)
            next = snd_mixer_elem_next(element)
        }
        return elements
    }

    private static func name(_ element: OpaquePointer) -> (String, Int) {
        (String(cString: snd_mixer_selem_get_name(element)), Int(snd_mixer_selem_get_index(element)))
    }

    /// The volume's steps; `nil` for an element without a volume.
    private static func range(of element: OpaquePointer) -> ClosedRange<Int>? {
        var (low, high) = (0, 0)
        guard snd_mixer_selem_has_playback_volume(element) != 0,
            snd_mixer_selem_get_playback_volume_range(element, &low, &high) == 0, low < high
        else { return nil }
        return low...high
    }

    private static func control(_ element: OpaquePointer) -> MixerControl? {
        let channels = (SND_MIXER_SCHN_FRONT_LEFT.rawValue...SND_MIXER_SCHN_LAST.rawValue)
            .map { snd_mixer_selem_channel_id_t($0) }.filter { snd_mixer_selem_has_playback_channel(element, $0) != 0 }
        /// The lowest of the channels' values.
        func least<Value: BinaryInteger>(
            _ ask: (snd_mixer_selem_channel_id_t, UnsafeMutablePointer<Value>) -> Int32
        ) -> Int? {
            channels.compactMap { channel in
                var value: Value = 0
                return ask(channel, &value) == 0 ? Int(value) : nil
            }.min()
        }
        let (name, index) = name(element)
        var control = MixerControl(name: name, index: index)
        if snd_mixer_selem_has_playback_switch(element) != 0 {
            control.isOn = least { snd_mixer_selem_get_playback_switch(element, $0, $1) }.map { $0 != 0 }
        }
        if let range = range(of: element) {
            // Rounded up: only the very bottom is 0.
            control.percent = least { snd_mixer_selem_get_playback_volume(element, $0, $1) }
                .map { (($0 - range.lowerBound) * 100 + range.count - 2) / (range.count - 1) }
            var (low, high) = (0, 0)
            if snd_mixer_selem_get_playback_dB_range(element, &low, &high) == 0, low < high {
                control.decibels = least { snd_mixer_selem_get_playback_dB(element, $0, $1) }
            }
        }
        return control.isOn == nil && control.percent == nil ? nil : control
    }

    private func check(_ call: () -> Int32) throws(PCMError) {
        ALSAMessages.clear()
        let code = call()
        guard code < 0 else { return }
        throw PCMError(-code, detail: ALSAMessages.first)
    }
}

/// The simple playback controls of one card's mixer, one method for each library call, so that a test can produce every
/// error.
///
/// A driver decides nothing, is not thread-safe and belongs to one thread. Its calls take as long as the card's driver
/// does.
package protocol MixerDriver: AnyObject {
    /// - Parameter card: the name of an ALSA control device, such as `hw:CARD=Device`.
    func open(_ card: String) throws(PCMError)
    /// Harmless when not open.
    func close()

    /// The open mixer's controls that have a switch or a volume.
    var controls: [MixerControl] { get }
    /// Sets every channel. `ENOENT` when the control is gone.
    func apply(_ change: MixerChange, to control: MixerControl) throws(PCMError)
}

package enum MixerChange: String, Sendable, CaseIterable {
    case switchOn = "switched on"
    /// Or the nearest value that the control has.
    case zeroDecibels = "set to 0 dB"
    case eightyPercent = "set to 80 %"
}

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
