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
