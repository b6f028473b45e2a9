import SoundboxALSA
import Testing

@testable import SoundboxHardware

@Suite("Where to play before anybody has said where")
struct AudioOutputsTests {
    private let hdmi = ALSACard(name: "hw:CARD=vc4hdmi0", description: "vc4-hdmi-0", driver: "vc4-hdmi")
    private let socket = ALSACard(
        name: "hw:CARD=Headphones", description: "bcm2835 Headphones", driver: "bcm2835_headpho")
    private let dac = ALSACard(name: "hw:CARD=MAX98357A", description: "MAX98357A", driver: "simple-card")
    private let loopback = ALSACard(name: "hw:CARD=Loopback", description: "Loopback", driver: "Loopback")

    @Test("On the card that is wired, though HDMI is the kernel's first; alsa-lib's default is that first one")
    func order() {
        #expect(
            AudioOutputs.likelyDevices(among: [hdmi, loopback, socket, dac], hasOwnDefault: false)
                == [
                    "hw:CARD=MAX98357A", "hw:CARD=Headphones", "sysdefault:CARD=vc4hdmi0", "default",
                    "hw:CARD=Loopback",
                ])
    }

    @Test("A default that somebody has made is what they meant")
    func ownDefault() {
        #expect(
            AudioOutputs.likelyDevices(among: [hdmi, socket], hasOwnDefault: true)
                == ["default", "hw:CARD=Headphones", "sysdefault:CARD=vc4hdmi0"])
    }

    @Test("Without a card there is still the default, such as a sound server")
    func none() { #expect(AudioOutputs.likelyDevices(among: [], hasOwnDefault: false) == ["default"]) }
}
