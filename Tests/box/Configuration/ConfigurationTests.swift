import Logging
import SoundboxCore
import SoundboxYAML
import TestSupport
import Testing

@testable import SoundboxBox
@testable import SoundboxConfiguration
@testable import SoundboxVoice

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
        #expect(configuration.audio.volume.level == 80 && configuration.features.volume.least.level == 10)
        #expect(configuration.features.status.interval == .seconds(60))
        #expect(configuration.audio.timing == Timing())
        #expect(configuration.voice.tempo == .recorded)
        #expect(
            configuration.features.announcements.hurryAbove == nil && configuration.features.quietHours.hours == nil)
        #expect(configuration.voice.locales == ["zh-CN"])
        #expect(configuration.voice.directory == "/usr/share/soundbox/sounds")
        #expect(configuration.board == "none")
        #expect(configuration.stateDirectory == "/var/lib/soundbox")
        #expect(configuration.controlSocket == "/run/soundbox/control.sock")
        #expect(configuration.features.announcements.currency == .CNY)
        #expect(configuration.features.announcements.freshness.expireAfter == .seconds(600))
        #expect(configuration.features.announcements.freshness.late == .summarise)
        #expect(configuration.payments.format == .native && !configuration.payments.saysTexts)
        #expect(configuration.authenticity == nil)
        #expect(configuration.features.inbox == Retention(keep: .seconds(90 * 86_400), maximumBytes: 512 << 20))
        #expect(configuration.topics[.payments] == "soundbox/v1/M1001/box-01/payments")
    }

    @Test("Signatures are required, and looked back for as long as ids are known, unless it says otherwise")
    func authenticityDefaults() throws {
        let text = Self.least + "authenticity: {key_file: k}\ninbox: {keep: 10d}\n"
        let configuration = try Configuration(parsing: text, file: "soundbox.yaml")
        #expect(configuration.authenticity == .init(keyFile: "k", required: true, window: .seconds(10 * 86_400)))
    }

    @Test("A format is a file of the mapping directory, and a mistake in it is told with its own name")
    func mappedFormat() throws {
        let folder = try TemporaryFolder()
        try folder.write("id: no\namount: {field: total, unit: minor}\n", to: "mine.yaml")
        try folder.write("id: no\n", to: "wrong.yaml")
        let text = Self.least + "mapping_directory: \"\(folder.path)\"\n"
        let configuration = try Configuration(
            parsing: text + "payments: {format: mine}\n", file: "soundbox.yaml")
        guard case .mapped(let mapping) = configuration.payments.format else {
            Issue.record("\(configuration.payments.format)")
            return
        }
        #expect(mapping.unit == .minor)
        let path = folder.file("wrong.yaml")
        #expect(error(of: text + "payments: {format: wrong}\n") == "\(path):1: amount: this key is missing")
    }

    @Test("A mapping file may bring the topics that its platform prescribes; the configuration's own come first")
    func mappedTopics() throws {
        let folder = try TemporaryFolder()
        let format = "id: no\namount: {field: total, unit: minor}\n"
        try folder.write(
            format + "topics: {payments: \"/{merchant}/{device}/get\"}\nclient_id: \"{device}|x|\"\n", to: "mine.yaml")
        try folder.write(format + "topics: \"all/{device}\"\n", to: "wrong.yaml")
        let text = Self.least + "mapping_directory: \"\(folder.path)\"\n"
        let mapped = try Configuration(parsing: text + "payments: {format: mine}\n", file: "soundbox.yaml").topics
        #expect(mapped[.payments] == "/M1001/box-01/get")
        #expect(mapped[.commands] == "soundbox/v1/M1001/box-01/commands")
        #expect(mapped.clientID == "box-01|x|")
        let both =
            text.replacing("{url", with: "{topics: {payments: \"own/{device}\"}, url") + "payments: {format: mine}\n"
        let own = try Configuration(parsing: both, file: "soundbox.yaml").topics
        #expect(own[.payments] == "own/box-01")
        #expect(own.clientID == "box-01|x|")
        let error = error(of: text + "payments: {format: wrong}\n")
        #expect(
            error?.hasPrefix("\(folder.file("wrong.yaml")):3: topics: payments has the same one") == true,
            "\(error ?? "")")
    }

    @Test("The version of MQTT is one of three words, and how long a session lasts is asked for with MQTT 5 only")
    func brokerProtocol() throws {
        func configuration(_ keys: String) throws -> Configuration.Broker {
            let text = Self.least.replacing("{url", with: "{\(keys), url")
            return try Configuration(parsing: text, file: "soundbox.yaml").broker
        }
        let usual = try Configuration(parsing: Self.least, file: "soundbox.yaml").broker
        #expect(usual.protocolChoice == .auto && usual.sessionExpiry == .seconds(30 * 86_400))
        for (text, choice) in [("\"5\"", .v5), ("5", .v5), ("3.1.1", .v311), ("auto", .auto)]
            as [(String, BrokerProtocol)]
        {
            #expect(try configuration("protocol: \(text)").protocolChoice == choice)
        }
        #expect(try configuration("session_expiry: 7d").sessionExpiry == .seconds(7 * 86_400))
        for (keys, problem) in [
            ("protocol: 3.1", "protocol: expected one of auto, 5, 3.1.1"),
            ("session_expiry: 1m", "session_expiry: expected"),
            ("protocol: 3.1.1, session_expiry: 7d", "session_expiry: is of use with MQTT 5 only"),
        ] {
            let error = error(of: Self.least.replacing("{url", with: "{\(keys), url"))
            #expect(error?.contains("broker.\(problem)") == true || error?.contains(problem) == true, "\(error ?? "")")
        }
    }

    @Test("Every key is read")
    func everyKey() throws {
        let configuration = try Configuration(
            parsing: """
                merchant_id: M1001
                device_id: box-01
                broker:
                  url: mqtts://mq.example.com
                  topics: "pay/v2/{merchant}/{device}/{topic}"
                  protocol: "5"
                  session_expiry: 14d
                  username: box
                  password_file: /etc/soundbox/password
                  ca_file: ca.pem
                  cert_file: box.pem
                  key_file: box.key
                audio: {device: "hw:1", volume: 30, least_volume: 5, lead_in: 150ms, gap: 1s, close_when_idle: 30s, card_level: keep}
                voice: {locale: en-US, speaker: emma, directory: voices, tempo: 1.25}
                board: raspberry-pi
                board_directory: boards
                state_directory: state
                control_socket: c.sock
                announce:
                  expire_after: 90s
                  currency: USD
                  hurry_above: 5
                  quiet_hours: {from: "22:00", to: 7:05, volume: 30}
                  late: silent
                  network_grace: 2m
                  prompts: {network: false, ready: true}
                payments: {format: native, text: true}
                authenticity: {key_file: signing.key, required: false, window: 1h}
                inbox: {keep: 30d, max_size_mb: 8}
                status: {interval: 150s}
                log_level: debug
                """, file: "soundbox.yaml")
        #expect(configuration.voice.speakers == ["en-US": "emma"])
        #expect(configuration.features.announcements.freshness.late == .silent)
        #expect(configuration.payments.format == .native && configuration.payments.saysTexts)
        #expect(
            configuration.authenticity
                == .init(keyFile: "signing.key", required: false, window: .seconds(3600)))
        #expect(configuration.features.inbox == Retention(keep: .seconds(30 * 86_400), maximumBytes: 8 << 20))
        #expect(configuration.broker.addresses[0].port == 8883)
        #expect(configuration.broker.addresses[0].usesTLS)
        #expect(configuration.broker.protocolChoice == .v5)
        #expect(configuration.broker.sessionExpiry == .seconds(14 * 86_400))
        #expect(configuration.broker.passwordFile == "/etc/soundbox/password")
        #expect(configuration.topics[.receipts] == "pay/v2/M1001/box-01/receipts")
        #expect(
            configuration.audio.timing
                == Timing(leadIn: .milliseconds(150), gap: .seconds(1), closeWhenIdle: .seconds(30)))
        #expect(configuration.audio.cardLevel == .keep)
        #expect(configuration.voice.tempo == Tempo(1.25))
        #expect(configuration.features.announcements.hurryAbove == 5)
        #expect(
            configuration.features.networkPrompts
                == NetworkPromptSettings(grace: .seconds(120), saysNetwork: false, saysReady: true))
        #expect(configuration.features.quietHours.hours == QuietHours(start: 1320, end: 425, volume: 30))
        #expect(configuration.features.announcements.freshness.expireAfter == .seconds(90))
        #expect(configuration.features.announcements.currency == Currency("USD"))
        #expect(configuration.features.volume.least == Volume(5))
        #expect(configuration.features.status.interval == .seconds(150))
        #expect(configuration.logLevel == .debug)
    }

    @Test(
        "What is wrong is told with line, key and what was expected",
        arguments: [
            ("device_id: d\nbroker: {url: \"mqtt://x\"}\n", "soundbox.yaml:1: merchant_id: this key is missing"),
            (
                least.replacing("{url", with: "{topics: \"pay/{merchant}/{topic}\", url"),
                "soundbox.yaml:3: broker.topics: it holds no {device}"
            ),
            (
                least.replacing("{url", with: "{topics: {payments: \"{device}/#\"}, url"),
                "soundbox.yaml:3: broker.topics.payments: it holds \"#\""
            ),
            (
                least.replacing("{url", with: "{client_id: box, url"),
                "soundbox.yaml:3: broker.client_id: it holds no {device}"
            ),
            (least + "audoi: {}\n", "soundbox.yaml:4: audoi: unknown key; did you mean \"audio\"?"),
            (least + "audio: {volume: 101}\n", "soundbox.yaml:4: audio.volume:"),
            (least + "status: {interval: 151s}\n", "soundbox.yaml:4: status.interval:"),
            (least + "audio: {least_volume: 101}\n", "soundbox.yaml:4: audio.least_volume:"),
            (least + "audio: {volume: loud}\n", "soundbox.yaml:4: audio.volume:"),
            (least + "announce: {expire_after: 10}\n", "soundbox.yaml:4: announce.expire_after:"),
            (least + "announce: {currency: RMB}\n", "soundbox.yaml:4: announce.currency:"),
            (least + "audio: {gap: 6s}\n", "soundbox.yaml:4: audio.gap:"),
            (least + "audio: {close_when_idle: 0s}\n", "soundbox.yaml:4: audio.close_when_idle:"),
            (least + "audio: {card_level: loud}\n", "soundbox.yaml:4: audio.card_level: expected one of raise, keep"),
            (least + "audio: {speaker: smal}\n", "soundbox.yaml:4: audio.speaker: expected one of full, small"),
            (
                least + "audio: {speaker: [small]}\n",
                "soundbox.yaml:4: audio.speaker: expected text, found a list; text that begins with [ is written in quotes"
            ),
            (
                least + "audio: {speaker: {resonance: 300}}\n",
                "soundbox.yaml:4: audio.speaker.kind: this key is missing"
            ),
            (
                least + "audio: {speaker: {kind: small, resonance: 99}}\n",
                "soundbox.yaml:4: audio.speaker.resonance: expected a whole number from 100 to 1000"
            ),
            (
                least + "audio: {speaker: {kind: full, resonance: 300}}\n",
                "soundbox.yaml:4: audio.speaker.resonance: is of use with kind: small only"
            ),
            (least + "voice: {tempo: 2}\n", "soundbox.yaml:4: voice.tempo:"),
            (least + "voice: {speaker: Yunxi}\n", "soundbox.yaml:4: voice.speaker: expected a speaker's id"),
            (
                least + "voice: {locale: [zh-CN, en-US], speaker: yunxi}\n",
                "soundbox.yaml:4: voice.speaker: expected the speaker of each language, such as {zh-CN: yunxi}"
            ),
            (
                least + "voice: {speaker: {en-US: emma}}\n",
                "soundbox.yaml:4: voice.speaker: a key here is no language of voice.locale"
            ),
            (least + "voice: {speaker: {zh-CN: []}}\n", "soundbox.yaml:4: voice.speaker.zh-CN: expected text"),
            (least + "announce: {hurry_above: 0}\n", "soundbox.yaml:4: announce.hurry_above:"),
            (least + "announce: {network_grace: 1s}\n", "soundbox.yaml:4: announce.network_grace:"),
            (least + "announce: {prompts: {ready: loud}}\n", "soundbox.yaml:4: announce.prompts.ready:"),
            (
                least + "announce: {quiet_hours: {from: \"24:00\", to: \"7:00\", volume: 3}}\n",
                "soundbox.yaml:4: announce.quiet_hours.from:"
            ),
            (
                least + "announce: {quiet_hours: {from: \"7:00\", to: \"7:00\", volume: 3}}\n",
                "soundbox.yaml:4: announce.quiet_hours.to:"
            ),
            (least + "log_level: loud\n", "soundbox.yaml:4: log_level:"),
            (least + "announce: {late: sumarise}\n", "soundbox.yaml:4: announce.late: expected one of"),
            (least + "payments: {format: a/b}\n", "soundbox.yaml:4: payments.format:"),
            (least + "payments: {text: some}\n", "soundbox.yaml:4: payments.text:"),
            (least + "payments: {formt: native}\n", "soundbox.yaml:4: payments.formt: unknown key; did you mean"),
            // Keys that were there once are named like a slip.
            (least + "audio: {record: a.wav}\n", "soundbox.yaml:4: audio.record: unknown key; expected one of device"),
            (least + "audio: {mixer: PCM}\n", "soundbox.yaml:4: audio.mixer: unknown key; expected one of device"),
            (
                least + "inbox: {keep_ids: 90d}\n",
                "soundbox.yaml:4: inbox.keep_ids: unknown key; did you mean \"keep\"?"
            ),
            (
                least.replacing("{url", with: "{topic_prefix: pay/v2, url"),
                "soundbox.yaml:3: broker.topic_prefix: unknown key"
            ),
            (least + "payments: {excess_decimals: speak}\n", "soundbox.yaml:4: payments.excess_decimals: unknown key"),
            (least + "page: {enabled: true, group: x}\n", "soundbox.yaml:4: page.group: unknown key"),
            (least + "clips: {hosts: [a.example], cache: 5MB}\n", "soundbox.yaml:4: clips.cache: unknown key"),
            (least + "clips: {hosts: [a.example], timeout: 5s}\n", "soundbox.yaml:4: clips.timeout: unknown key"),
            (least + "authenticity: {}\n", "soundbox.yaml:4: authenticity.key_file: this key is missing"),
            (least + "authenticity: {key_file: \"\"}\n", "soundbox.yaml:4: authenticity.key_file:"),
            (least + "authenticity: {key_file: k, window: 59s}\n", "soundbox.yaml:4: authenticity.window:"),
            // An old notice must not outlive the memory of its id.
            (
                least + "authenticity: {key_file: k, window: 2d}\ninbox: {keep: 1d}\n",
                "soundbox.yaml:4: authenticity.window:"
            ),
            (least + "inbox: {keep: 23h}\n", "soundbox.yaml:4: inbox.keep:"),
            (least + "inbox: {max_size_mb: 7}\n", "soundbox.yaml:4: inbox.max_size_mb:"),
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
            ("merchant_id: m\ndevice_id: d\nbroker: {url: []}\n", "soundbox.yaml:3: broker.url: expected at least one"),
            (
                "merchant_id: m\ndevice_id: d\nbroker: {url: [\"mqtts://a\", \"mqtt://b\"]}\n",
                "soundbox.yaml:3: broker.url[1]: is to be mqtts:// like the others"
            ),
            (
                "merchant_id: m\ndevice_id: d\nbroker: {url: [\"mqtt://a\", \"mqtt://a:1883\"]}\n",
                "soundbox.yaml:3: broker.url[1]: is there twice"
            ),
            (
                "merchant_id: m\ndevice_id: d\nbroker: {url: \"mqtt://x\", keep_alive: 1s}\n",
                "soundbox.yaml:3: broker.keep_alive:"
            ),
            (
                "merchant_id: m\ndevice_id: d\nbroker: {url: \"mqtt://x\", reconnect_window: 1h}\n",
                "soundbox.yaml:3: broker.reconnect_window:"
            ),
        ])
    func wrong(text: String, message: String) {
        #expect(error(of: text)?.hasPrefix(message) == true, "\(error(of: text) ?? "accepted")")
    }

    @Test("The nodes of a cluster are a list, in the order in which they are tried")
    func cluster() throws {
        let configuration = try Configuration(
            parsing: """
                merchant_id: M1001
                device_id: box-01
                broker:
                  url: ["mqtts://a.example", "mqtts://b.example:8884"]
                  keep_alive: 30s
                  reconnect_window: 1m
                """, file: "soundbox.yaml")
        #expect(
            configuration.broker.addresses == [
                BrokerAddress(host: "a.example", port: 8883, usesTLS: true),
                BrokerAddress(host: "b.example", port: 8884, usesTLS: true),
            ])
        #expect(configuration.broker.keepAlive == .seconds(30))
        #expect(configuration.broker.reconnectWindow == .seconds(60))
    }

    @Test(
        "A key that nobody knows is refused in every mapping of the file, with those that are known",
        arguments: [
            (least + "zzzzzz: 1\n", "merchant_id"), (least.replacing("{url", with: "{zzzzzz: 1, url"), "keep_alive"),
            (least + "audio: {zzzzzz: 1}\n", "lead_in"),
            (least + "audio: {speaker: {kind: small, zzzzzz: 1}}\n", "resonance"),
            (least + "voice: {zzzzzz: 1}\n", "tempo"), (least + "announce: {zzzzzz: 1}\n", "hurry_above"),
            (least + "announce: {quiet_hours: {from: \"22:00\", to: \"7:00\", volume: 3, zzzzzz: 1}}\n", "volume"),
            (least + "announce: {prompts: {zzzzzz: true}}\n", "network"),
            (least + "payments: {zzzzzz: 1}\n", "format"),
            (least + "authenticity: {key_file: k, zzzzzz: 1}\n", "window"),
            (least + "inbox: {zzzzzz: 1}\n", "keep"),
        ])
    func unknownKeys(text: String, known: String) throws {
        let message = try #require(error(of: text))
        #expect(message.contains("«a key that is not shown»: unknown key; expected one of"))
        #expect(message.contains(known))
    }

    @Test(
        "A loudspeaker is full or small, small ones may tell their resonance, and without any the board decides",
        arguments: [
            ("", nil), ("speaker: full", Loudspeaker.full), ("speaker: small", .small(resonance: 300)),
            ("speaker: {kind: small}", .small(resonance: 300)),
            ("speaker: {kind: small, resonance: 450}", .small(resonance: 450)), ("speaker: {kind: full}", .full),
        ])
    func speaker(text: String, expected: Loudspeaker?) throws {
        let configuration = try Configuration(parsing: Self.least + "audio: {\(text)}\n", file: "soundbox.yaml")
        #expect(configuration.audio.speaker == expected)
    }

    @Test("A socket's path that the kernel could not take is refused")
    func longSocketPath() {
        let path = String(repeating: "x", count: 108)
        #expect(error(of: Self.least + "control_socket: \(path)\n")?.contains("107") == true)
    }
}
