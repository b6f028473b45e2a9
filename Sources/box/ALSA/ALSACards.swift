import CALSA
import Glibc

/// A place where sound can go, with the names that a configuration file uses.
public struct ALSACard: Sendable, Equatable {
    /// An ALSA PCM name.
    public var name: String
    /// For people, on one line.
    public var description: String
    /// What its driver calls itself, such as `USB-Audio`; empty if it is no card.
    public var driver: String
    /// Whether it can play, and not only record.
    public var canPlay: Bool

    public init(name: String, description: String, driver: String = "", canPlay: Bool = true) {
        self.name = name
        self.description = description
        self.driver = driver
        self.canPlay = canPlay
    }

    /// The card's own id, after `CARD=` in its name; `nil` if it is no card.
    public var id: String? { name.split(separator: "CARD=", maxSplits: 1).dropFirst().first.map(String.init) }
}

/// The sound cards that alsa-lib finds on this machine, for messages and for `soundbox doctor`.
///
///     for card in ALSACards.cards().inOrderOfWiring {
///         print(card.playbackName, card.description)
///     }
///
/// Reads configuration files and asks the kernel; takes milliseconds. Any thread.
public enum ALSACards {
    /// The sound cards that the kernel knows, in its order, without those that this user may not open.
    ///
    /// They are named by id, not by number: numbers depend on the order in which cards are found at boot.
    public static func cards() -> [ALSACard] {
        ALSAMessages.clear()
        var cards: [ALSACard] = []
        var index: Int32 = -1
        while snd_card_next(&index) == 0, index >= 0 {
            if let card = card(at: index) { cards.append(card) }
        }
        return cards
    }

    static func card(at index: Int32) -> ALSACard? {
        var control: OpaquePointer?
        var info: OpaquePointer?
        guard snd_ctl_open(&control, "hw:\(index)", SND_CTL_NONBLOCK) == 0 else { return nil }
        defer { snd_ctl_close(control) }
        guard snd_ctl_card_info_malloc(&info) == 0 else { return nil }
        defer { snd_ctl_card_info_free(info) }
        guard snd_ctl_card_info(control, info) == 0, let id = snd_ctl_card_info_get_id(info),
            let name = snd_ctl_card_info_get_name(info), let driver = snd_ctl_card_info_get_driver(info)
        else { return nil }
        return ALSACard(
            name: "hw:CARD=\(String(cString: id))", description: String(cString: name),
            driver: String(cString: driver), canPlay: hasPlayback(control))
    }

    /// Whether one of the card's devices plays.
    private static func hasPlayback(_ control: OpaquePointer?) -> Bool {
        var info: OpaquePointer?
        guard snd_pcm_info_malloc(&info) == 0 else { return false }
        defer { snd_pcm_info_free(info) }
        var device: Int32 = -1
        while snd_ctl_pcm_next_device(control, &device) == 0, device >= 0 {
            snd_pcm_info_set_device(info, UInt32(device))
            snd_pcm_info_set_subdevice(info, 0)
            snd_pcm_info_set_stream(info, SND_PCM_STREAM_PLAYBACK)
            if snd_ctl_pcm_info(control, info) == 0 { return true }
        }
        return false
    }
}

extension ALSACard {
    /// How likely a loudspeaker is connected to a card, the likeliest first.
    ///
    /// A USB card or a sound board on the pins was added on purpose. The headphone socket comes with the board, and the
    /// HDMI outputs exist whether or not a screen is connected.
    enum Kind: Int, Comparable {
        case pluggedIn, soundBoard, socket, screen, imaginary

        static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }
    }

    /// Judged by the names that Linux drivers give themselves and their cards: sound/usb/card.c; sound/soc/bcm and
    /// sound/soc/intel (`simple-card`, and boards that name themselves); staging/vc04_services/bcm2835-audio;
    /// drivers/gpu/drm/vc4/vc4_hdmi.c; sound/pci/hda; sound/drivers/aloop.c and dummy.c.
    var kind: Kind {
        let words = "\(driver) \(id ?? "") \(description)".lowercased()
        func has(_ parts: String...) -> Bool { parts.contains { words.contains($0) } }
        // The sink of a USB gadget is the computer at the other end of the cable.
        if ["loopback", "dummy"].contains(driver.lowercased()) || has("gadget") { return .imaginary }
        if has("hdmi", "displayport") { return .screen }
        if driver == "USB-Audio" { return .pluggedIn }
        if has("bcm2835", "headphone") { return .socket }
        // A computer's own codec has the socket of the case.
        if driver.lowercased().hasPrefix("hda") { return .socket }
        return .soundBoard
    }

    /// Whether a program made the card, for trials: nobody hears what is played there.
    public var isImaginary: Bool { kind == .imaginary }

    /// The PCM that plays any samples. HDMI needs samples in a format of its own, which alsa-lib's configuration of
    /// these cards produces (cards/vc4-hdmi.conf) and the device itself does not.
    public var playbackName: String {
        guard kind == .screen, let id else { return name }
        return "sysdefault:CARD=\(id)"
    }
}

extension [ALSACard] {
    /// The cards that play, the one most likely to have a speaker attached first. Equal cards keep the kernel's order.
    public var inOrderOfWiring: [ALSACard] {
        enumerated().filter(\.element.canPlay)
            .sorted { ($0.element.kind, $0.offset) < ($1.element.kind, $1.offset) }
            .map(\.element)
    }
}
