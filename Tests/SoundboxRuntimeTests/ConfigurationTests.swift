import Logging
import SoundboxALSA
import SoundboxAudio
import SoundboxCore
import SoundboxMQTT
import SoundboxYAML
import Testing

@testable import SoundboxRuntime

@Suite("Configuration")
struct ConfigurationTests {
    private static let least = "merchant_id: M1001\ndevice_id: box-01\nbroker: {url: \"mqtt://127.0.0.1\"}\n"

    private func error(of text: String) -> String? {
        do {
            _ = try Configuration(parsing: text, file: "soundbox.yaml")
            return nil
        } catch {
            return error.description
        }
    }

    @Test("Merchant, device and broker are enough; the rest is as an installed box needs it")
    func defaults() throws {
        let configuration = try Configuration(parsing: Self.least, file: "soundbox.yaml")
        #expect(configuration.audio.device == "default")
        #expect(configuration.audio.volume.level == 80)
        #expect(configuration.audio.timing == Timing())
        #expect(configuration.voice.tempo == .recorded)
        #expect(configuration.announce.hurryAbove == nil && configuration.announce.quietHours == nil)
        #expect(configuration.voice.locales == ["zh-CN"])
        #expect(configuration.voice.directory == "/usr/share/soundbox/sounds")
        #expect(configuration.board == "none")
        #expect(configuration.stateDirectory == "/var/lib/soundbox")
        #expect(configuration.controlSocket == "/run/soundbox/control.sock")
        #expect(configuration.announce.currency == .CNY)
        #expect(configuration.announce.freshness.expireAfter == .seconds(600))
        #expect(configuration.topics.payments == "soundbox/v1/M1001/box-01/payments")
    }

    @Test("Every key is read")
    func everyKey() throws {
        let configuration = try Configuration(
            parsing: """
                merchant_id: M1001
                device_id: box-01
                broker:
                  url: mqtts://mq.example.com
                  topic_prefix: pay/v2
                  username: box
                  password_file: /etc/soundbox/password
                  ca_file: ca.pem
                  cert_file: box.pem
                  key_file: box.key
                audio: {device: "hw:1", volume: 30, record: out.wav, lead_in: 150ms, gap: 1s, close_when_idle: 30s}
                voice: {locale: en-US, directory: voices, tempo: 1.25}
                board: raspberry-pi
                board_directory: boards
                state_directory: state
                control_socket: c.sock
                announce:
                  expire_after: 90s
                  currency: USD
                  hurry_above: 5
                  quiet_hours: {from: "22:00", to: 7:05, volume: 30}
                log_level: debug
                """, file: "soundbox.yaml")
        #expect(configuration.broker.address.port == 8883)
        #expect(configuration.broker.address.usesTLS)
        #expect(configuration.broker.passwordFile == "/etc/soundbox/password")
        #expect(configuration.topics.receipts == "pay/v2/M1001/box-01/receipts")
        #expect(configuration.audio.record == "out.wav")
        #expect(
            configuration.audio.timing
                == Timing(leadIn: .milliseconds(150), gap: .seconds(1), closeWhenIdle: .seconds(30)))
        #expect(configuration.voice.tempo == Tempo(1.25))
        #expect(configuration.announce.hurryAbove == 5)
        #expect(configuration.announce.quietHours == QuietHours(start: 1320, end: 425, volume: 30))
        #expect(configuration.announce.freshness.expireAfter == .seconds(90))
        #expect(configuration.announce.currency == Currency("USD"))
        #expect(configuration.logLevel == .debug)
    }

    @Test(
        "What is wrong is told with line, key and what was expected",
        arguments: [
            ("device_id: d\nbroker: {url: \"mqtt://x\"}\n", "soundbox.yaml:1: merchant_id: this key is missing"),
            (least + "audoi: {}\n", "soundbox.yaml:4: audoi: unknown key; did you mean \"audio\"?"),
            (least + "audio: {volume: 101}\n", "soundbox.yaml:4: audio.volume:"),
            (least + "audio: {volume: loud}\n", "soundbox.yaml:4: audio.volume:"),
            (least + "announce: {expire_after: 10}\n", "soundbox.yaml:4: announce.expire_after:"),
            (least + "announce: {currency: RMB}\n", "soundbox.yaml:4: announce.currency:"),
            (least + "audio: {gap: 6s}\n", "soundbox.yaml:4: audio.gap:"),
            (least + "audio: {close_when_idle: 0s}\n", "soundbox.yaml:4: audio.close_when_idle:"),
            (least + "audio: {mixer: Speaker}\n", "soundbox.yaml:4: audio.mixer: expected a mapping"),
            (least + "audio: {mixer: {card: c}}\n", "soundbox.yaml:4: audio.mixer.element: this key is missing"),
            (least + "audio: {mixer: {card: c, elemnt: e}}\n", "soundbox.yaml:4: audio.mixer.elemnt: unknown key"),
            (
                least + "audio: {device: \"null\", mixer: {card: c, element: e}}\n",
                "soundbox.yaml:4: audio.mixer: is of use with a sound card only"
            ),
            (least + "voice: {tempo: 2}\n", "soundbox.yaml:4: voice.tempo:"),
            (least + "announce: {hurry_above: 0}\n", "soundbox.yaml:4: announce.hurry_above:"),
            (
                least + "announce: {quiet_hours: {from: \"24:00\", to: \"7:00\", volume: 3}}\n",
                "soundbox.yaml:4: announce.quiet_hours.from:"
            ),
            (
                least + "announce: {quiet_hours: {from: \"7:00\", to: \"7:00\", volume: 3}}\n",
                "soundbox.yaml:4: announce.quiet_hours.to:"
            ),
            (least + "log_level: loud\n", "soundbox.yaml:4: log_level:"),
            ("merchant_id: a/b\ndevice_id: d\nbroker: {url: \"mqtt://x\"}\n", "soundbox.yaml:1: merchant_id:"),
            ("merchant_id: m\ndevice_id: \"#\"\nbroker: {url: \"mqtt://x\"}\n", "soundbox.yaml:2: device_id:"),
            ("merchant_id: m\ndevice_id: d\nbroker: {url: \"http://x\"}\n", "soundbox.yaml:3: broker.url:"),
            (
                "merchant_id: m\ndevice_id: d\nbroker: {url: \"mqtt://x\", ca_file: a}\n",
                "soundbox.yaml:3: broker.ca_file:"
            ),
            ("merchant_id: m\ndevice_id: d\nbroker: {url: \"mqtts://x\", cert_file: a}\n", "soundbox.yaml:3: broker:"),
            (
                "merchant_id: m\ndevice_id: d\nbroker: {url: \"mqtts://x\", pin_sha256: abc}\n",
                "soundbox.yaml:3: broker.pin_sha256: expected the SHA-256"
            ),
            (
                "merchant_id: m\ndevice_id: d\nbroker:\n  url: mqtts://x\n  pin_sha256:\n    - abc\n",
                "soundbox.yaml:6: broker.pin_sha256[0]: expected the SHA-256"
            ),
            (
                "merchant_id: m\ndevice_id: d\nbroker: {url: \"mqtt://x\", pin_sha256: []}\n",
                "soundbox.yaml:3: broker.pin_sha256:"
            ),
            (
                "merchant_id: m\ndevice_id: d\nbroker: {url: \"mqtt://x\", password_file: a}\n",
                "soundbox.yaml:3: broker:"
            ),
        ])
    func wrong(text: String, message: String) {
        #expect(error(of: text)?.hasPrefix(message) == true, "\(error(of: text) ?? "accepted")")
    }

    @Test("A mixer element is named by card and name, and by its index where the name occurs twice")
    func mixer() throws {
        let text = Self.least + "audio: {device: shop, mixer: {card: \"hw:CARD=Device\", element: Speaker, index: 1}}\n"
        let configuration = try Configuration(parsing: text, file: "soundbox.yaml")
        #expect(configuration.audio.mixer == MixerElement(card: "hw:CARD=Device", name: "Speaker", index: 1))
        #expect(configuration.audio.mixer?.description == "mixer element \"Speaker\",1 of \"hw:CARD=Device\"")
    }

    @Test("A socket's path that the kernel could not take is refused")
    func longSocketPath() {
        let path = String(repeating: "x", count: 108)
        #expect(error(of: Self.least + "control_socket: \(path)\n")?.contains("107") == true)
    }
}
