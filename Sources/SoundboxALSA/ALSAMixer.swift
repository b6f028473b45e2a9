import CALSA
import Glibc
import SoundboxCore

/// The mixer of alsa-lib: owns at most one `snd_mixer_t` and closes it exactly once.
final class ALSAMixer: MixerDriver {
    private var mixer: OpaquePointer?
    private var identifier: OpaquePointer?
    private var isInDecibels = false

    deinit { close() }

    func open(_ element: MixerElement) throws(PCMError) {
        close()
        do {
            mixer = try Self.mixer(of: element.card)
            try check { snd_mixer_selem_id_malloc(&identifier) }
            snd_mixer_selem_id_set_name(identifier, element.name)
            snd_mixer_selem_id_set_index(identifier, UInt32(element.index))
            _ = try find()
        } catch {
            close()
            throw error
        }
    }

    func close() {
        if let identifier { snd_mixer_selem_id_free(identifier) }
        if let mixer { snd_mixer_close(mixer) }
        identifier = nil
        mixer = nil
    }

    func scale() throws(PCMError) -> MixerScale? {
        let element = try find()
        guard snd_mixer_selem_has_playback_volume(element) != 0 else { return nil }
        var (low, high) = (0, 0)
        isInDecibels = snd_mixer_selem_get_playback_dB_range(element, &low, &high) == 0 && low < high
        if isInDecibels { return .decibels(low...high, isSilentAtBottom: low <= Int(SND_CTL_TLV_DB_GAIN_MUTE)) }
        try check { snd_mixer_selem_get_playback_volume_range(element, &low, &high) }
        return low < high ? .steps(low...high) : nil
    }

    func setVolume(_ value: Int) throws(PCMError) {
        let element = try find()
        try check {
            isInDecibels
                ? snd_mixer_selem_set_playback_dB_all(element, value, 1)
                : snd_mixer_selem_set_playback_volume_all(element, value)
        }
    }

    func setSwitch(isOn: Bool) throws(PCMError) {
        let element = try find()
        guard snd_mixer_selem_has_playback_switch(element) != 0 else { return }
        try check { snd_mixer_selem_set_playback_switch_all(element, isOn ? 1 : 0) }
    }

    /// The element as it is now. Looked up for every call: alsa-lib frees it when the card withdraws it, and writes
    /// only what differs from the value it remembers, which others may have changed since.
    private func find() throws(PCMError) -> OpaquePointer {
        guard let mixer else { throw PCMError(ENODEV) }
        try check { snd_mixer_handle_events(mixer) }
        if let element = snd_mixer_find_selem(mixer, identifier) { return element }
        let names = Self.elements(of: mixer).map { "\"\(String(cString: snd_mixer_selem_get_name($0)))\"" }
        throw PCMError(
            ENOENT,
            detail: "there is no such element; the card has \(names.isEmpty ? "none" : names.joined(separator: ", "))")
    }

    // MARK: Every element

    /// Opens the mixer of a card; to be closed by the caller.
    static func mixer(of card: String) throws(PCMError) -> OpaquePointer? {
        var mixer: OpaquePointer?
        try check { snd_mixer_open(&mixer, 0) }
        do throws(PCMError) {
            try check { snd_mixer_attach(mixer, card) }
            try check { snd_mixer_selem_register(mixer, nil, nil) }
            try check { snd_mixer_load(mixer) }
        } catch {
            snd_mixer_close(mixer)
            throw error
        }
        return mixer
    }

    static func elements(of mixer: OpaquePointer?) -> [OpaquePointer] {
        var elements: [OpaquePointer] = []
        var next = snd_mixer_first_elem(mixer)
        while let element = next {
            elements.append(element)
            next = snd_mixer_elem_next(element)
        }
        return elements
    }

    private func check(_ call: () -> Int32) throws(PCMError) { try Self.check(call) }

    private static func check(_ call: () -> Int32) throws(PCMError) {
        ALSAMessages.clear()
        let code = call()
        guard code < 0 else { return }
        throw PCMError(-code, detail: ALSAMessages.first)
    }
}
