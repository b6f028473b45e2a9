import SoundboxALSA
import Testing

/// Ids, drivers and names as `/proc/asound/cards` shows them on the boards in question.
@Suite("Which card is wired")
struct CardOrderTests {
    private static func card(_ id: String, _ driver: String, _ name: String, canPlay: Bool = true) -> ALSACard {
        ALSACard(name: "hw:CARD=\(id)", description: name, driver: driver, canPlay: canPlay)
    }

    private static let hdmi0 = card("vc4hdmi0", "vc4-hdmi", "vc4-hdmi-0")
    private static let hdmi1 = card("vc4hdmi1", "vc4-hdmi", "vc4-hdmi-1")
    private static let socket = card("Headphones", "bcm2835_headpho", "bcm2835 Headphones")
    private static let usb = card("Device", "USB-Audio", "USB Audio Device")
    private static let loopback = card("Loopback", "Loopback", "Loopback")
    private static let dummy = card("Dummy", "Dummy", "Dummy")

    /// Sound boards on the pins.
    private static let boards = [
        card("sndrpihifiberry", "RPi-simple", "snd_rpi_hifiberry_dac"),
        card("sndrpihifiberry", "HifiberryDacp", "snd_rpi_hifiberry_dacplus"),
        card("seeed2micvoicec", "simple-card", "seeed-2mic-voicecard"),
        card("MAX98357A", "simple-card", "MAX98357A"),
        card("sndrpigooglevoi", "RPi-simple", "snd_rpi_googlevoicehat_soundcar"),
        card("wm8960soundcard", "simple-card", "wm8960-soundcard"),
        card("IQaudIODAC", "snd_rpi_iqaudio", "IQaudIODAC"),
        card("Zero", "simple-card", "audioinjector-pi-soundcard"),
    ]

    private func order(_ cards: ALSACard...) -> [String] { cards.inOrderOfWiring.map(\.description) }

    @Test("A sound board on the pins comes before what the computer has itself", arguments: boards)
    func soundBoard(board: ALSACard) {
        #expect(
            order(Self.dummy, Self.hdmi0, Self.hdmi1, Self.socket, board, Self.loopback)
                == [board.description, "bcm2835 Headphones", "vc4-hdmi-0", "vc4-hdmi-1", "Dummy", "Loopback"])
    }

    @Test("A USB card comes first, wherever the kernel has it", arguments: boards)
    func usb(board: ALSACard) {
        #expect(order(Self.hdmi0, board, Self.usb, Self.socket).first == "USB Audio Device")
        #expect(order(Self.usb, Self.hdmi0) == order(Self.hdmi0, Self.usb))
    }

    @Test(
        "HDMI is last of what there is, under every name that it has had",
        arguments: [
            card("vc4hdmi", "vc4-hdmi", "vc4-hdmi"), card("b1", "bcm2835_hdmi", "bcm2835 HDMI 1"),
            card("HDMI", "HDA-Intel", "HDA Intel HDMI"), card("rockchiphdmi0", "rockchip_hdmi0", "rockchip-hdmi0"),
            card("sunxihdmi", "allwinner-hdmi", "allwinner-hdmi"),
        ])
    func screens(screen: ALSACard) {
        let pc = Self.card("PCH", "HDA-Intel", "HDA Intel PCH")
        for other in [Self.socket, pc, Self.usb] + Self.boards {
            #expect(order(screen, other) == [other.description, screen.description])
        }
        #expect(order(Self.loopback, screen) == [screen.description, "Loopback"])
    }

    @Test("A card that only records, such as a microphone or a grabber, is left out")
    func microphone() {
        let microphone = Self.card("Webcam", "USB-Audio", "HD Webcam C270", canPlay: false)
        #expect(order(microphone, Self.socket) == ["bcm2835 Headphones"])
    }

    @Test("The computer at the other end of a USB cable is no loudspeaker")
    func gadget() {
        #expect(order(Self.card("UAC2Gadget", "UAC2_Gadget", "UAC2_Gadget"), Self.hdmi0).last == "UAC2_Gadget")
    }

    @Test("HDMI is played through its own definition, every other card by itself")
    func names() {
        #expect(Self.hdmi0.playbackName == "sysdefault:CARD=vc4hdmi0")
        #expect(([Self.usb, Self.socket] + Self.boards).allSatisfy { $0.playbackName == $0.name })
    }
}
