import Foundation
import SoundboxCore
import SoundboxYAML
import TestSupport
import Testing

@testable import SoundboxConfiguration
@testable import SoundboxSetup

@Suite("A configuration for the eyes of others")
struct ShownConfigurationTests {
    private static let least = "merchant_id: M1001\ndevice_id: box-01\nbroker: {url: \"mqtt://127.0.0.1\"}\n"

    /// Keys whose values are shown when they look like a name: they stand in topics and in the log.
    private static let names = ["merchant_id", "device_id", "broker.client_id", "broker.topics"]
    private static let others = [
        "broker.url", "broker.username", "broker.password_file", "broker.ca_file", "broker.cert_file",
        "broker.key_file", "broker.pin_sha256", "audio.device", "audio.volume", "audio.least_volume", "audio.lead_in",
        "status.interval",
        "audio.speaker", "audio.speaker.kind", "audio.speaker.resonance",
        "audio.gap", "audio.close_when_idle", "audio.card_level", "voice.locale",
        "voice.speaker", "voice.directory", "voice.tempo", "voice.decimal", "board", "board_directory",
        "state_directory",
        "control_socket", "announce.expire_after", "announce.late", "announce.currency", "announce.hurry_above",
        "announce.quiet_hours", "announce.quiet_hours.from", "announce.quiet_hours.volume", "announce.network_grace",
        "announce.prompts", "announce.prompts.network", "announce.prompts.ready", "payments.format",
        "payments.text", "mapping_directory", "authenticity.key_file", "authenticity.next_key_file",
        "authenticity.required",
        "authenticity.window", "inbox.keep", "inbox.max_size_mb", "log_level", "broker", "audio", "voice",
        "announce", "payments", "authenticity", "inbox",
        // In the wrong place, or of the provisioning format.
        "password", "signing_key", "key", "token", "secret", "broker.password", "broker.key", "broker.certificate",
        "authenticity.key", "audio.password", "voice.key_file", "announce.quiet_hours.key", "inbox.password",
    ]

    /// A file with one value at a dotted key, given as YAML.
    private static func file(_ key: String, _ value: String) -> String {
        var keys = key.split(separator: ".").map(String.init)
        let last = keys.removeLast()
        var text = ""
        if keys.first != "broker", key != "broker" { text += "broker: {url: \"mqtt://127.0.0.1\"}\n" }
        if key != "merchant_id" { text += "merchant_id: M1001\n" }
        if key != "device_id" { text += "device_id: box-01\n" }
        for (depth, name) in keys.enumerated() { text += String(repeating: " ", count: depth) + "\(name):\n" }
        let indent = String(repeating: " ", count: keys.count)
        if keys.first == "broker", last != "url" { text += "\(indent)url: \"mqtts://127.0.0.1\"\n" }
        return text + "\(indent)\(last): \(value)\n"
    }

    /// Nothing of a secret may be seen: no five of its letters in a row.
    private func check(_ text: String, hides secret: String, _ comment: Comment) {
        let letters = Array(secret)
        for start in 0...(letters.count - 5) where text.contains(String(letters[start..<start + 5])) {
            Issue.record("\(comment)\n\(text)")
            return
        }
    }

    private func check(_ file: String, hides secret: String) {
        check(ShownConfiguration(file).text, hides: secret, "shown: \(file)")
        do { _ = try Configuration(parsing: file, file: "soundbox.yaml") } catch {
            check(error.description, hides: secret, "error: \(file)")
        }
    }

    private static func secret(_ alphabet: String, _ random: inout SeededGenerator) -> String {
        let letters = Array(alphabet)
        return String((0..<24).map { _ in letters.randomElement(using: &random) ?? "x" })
    }

    private static let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

    @Test("A secret at any key, misspelt or misplaced, in a list, a mapping or a comment is shown nowhere")
    func everywhere() {
        var random = SeededGenerator(seed: 13)
        for key in Self.names + Self.others {
            for round in 0..<3 {
                let alphabet = round == 0 ? Self.plain : Self.plain + "+/=$%!*;~^ü密"
                let isName = Self.names.contains(key)
                let secret = (isName ? "$" : "") + Self.secret(alphabet, &random) + (isName ? "$" : "")
                check(Self.file(key, "'\(secret)'"), hides: secret)
                check(Self.file(key, "|\n      first\n      \(secret)"), hides: secret)
                check(Self.file(key, "[zh-CN, '\(secret)']"), hides: secret)
                check(Self.file(key, "{zh-CN: '\(secret)'}"), hides: secret)
                check(Self.file(key, "{'\(secret)': 1}"), hides: secret)
                check(Self.file(key, "[[{a: '\(secret)'}]]"), hides: secret)
                check(Self.file(key, "1 # \(secret)"), hides: secret)
                check(Self.file(key, "'mqtt://box:\(secret)@host'"), hides: secret)
                check(Self.file(key, "'/\(secret)'"), hides: secret)
                let plain = Self.secret(Self.plain, &random)
                check(Self.file(key, "&\(plain) x"), hides: plain)
                check(Self.file(key, "!\(plain) x"), hides: plain)
                check(Self.file(key, "*\(plain)"), hides: plain)
                for misspelt in [String(key.dropLast()), key + "x", key.uppercased(), key + "." + plain] {
                    check(Self.file(misspelt, "'\(secret)'"), hides: secret)
                }
            }
        }
    }

    @Test("A secret in the broker's URL, as a key or as the whole file is shown nowhere")
    func elsewhere() {
        var random = SeededGenerator(seed: 131)
        for _ in 0..<20 {
            let secret = Self.secret(Self.plain + "+=$!", &random)
            for url in [
                "mqtt://box:\(secret)@host", "mqtts://\(secret)@host:8883", "mqtt://host/?password=\(secret)",
                "mqtt://host/\(secret)", "mqtt://host:1883#\(secret)", "mqtt://host:\(secret)", "\(secret)://host",
                "http://box:\(secret)@host", "box:\(secret)@host", "mqtt://box:\(secret)", secret,
            ] {
                check(Self.file("broker.url", "'\(url)'"), hides: secret)
            }
            let plain = Self.secret(Self.plain, &random)
            for file in [
                plain, "'\(secret)'", "- \(plain)", Self.least + "\(plain): x\n", Self.least + "? {\(plain): 1}\n: x\n",
                Self.least + "\(plain):\n  password: x\n", Self.least + "x: \(plain)\nx: \(plain)\n",
                Self.least + "\(plain): 1\n\(plain): 2\n", Self.least + "# \(plain)\n", "# \(plain)\n" + Self.least,
                Self.least + "a: [\(plain)\n", Self.least + "\t\(plain)\n", "%\(plain)\n---\n" + Self.least,
            ] {
                check(file, hides: plain)
            }
        }
    }

    @Test("What cannot be a secret is shown, and what is masked is named")
    func shown() throws {
        let folder = try TemporaryFolder()
        try folder.write("hunter2-hunter2\n", to: "broker.password")
        let shown = ShownConfiguration(
            """
            merchant_id: M1001
            device_id: 前台-01
            broker:
              url: "mqtts://mq.example.com:8883"   # the old one was hunter2
              username: M1001.box-01
              password_file: "\(folder.file("broker.password"))"
              pasword: hunter2
            audio: {device: "hw:1,0", volume: 80, lead_in: 150ms, card_level: keep}
            voice: {locale: [zh-CN, en-US]}
            announce: {quiet_hours: {from: "22:00", to: "7:00", volume: 30}, currency: CNY}
            signing_key: hunter2
            hunter2:
              a: 1
            state_directory: /nonexistent/folder/of/nobody
            """
        ).text
        #expect(
            shown == """
                merchant_id: M1001
                device_id: 前台-01
                broker:
                  url: mqtts://mq.example.com:8883
                  username: M1001.box-01
                  password_file: \(folder.file("broker.password"))
                  pasword: '«masked: unknown key»'
                audio:
                  device: hw:1,0
                  volume: 80
                  lead_in: 150ms
                  card_level: keep
                voice:
                  locale: [zh-CN, en-US]
                announce:
                  quiet_hours:
                    from: 22:00
                    to: 7:00
                    volume: 30
                  currency: CNY
                signing_key: '«masked: unknown key»'
                «a key that is not shown, line 12, column 1»: '«masked: unknown key»'
                state_directory: «masked»

                """)
    }

    @Test("A value that cannot be used masks itself, and none of those beside it or behind it")
    func besideMistakes() {
        let text = ShownConfiguration(
            """
            merchant_id: M1001
            broker: {keep_alive: soon, url: "mqtt://a b", protocol: "5", topics: {payments: x}, reconnect_window: 3s}
            announce: {expire_after: 5, quiet_hours: {from: "25:00"}, currency: CNY, hurry: 3}
            authenticity: {required: false}
            page: {port: 0, role: look}
            log_level: debug
            """
        ).text
        #expect(
            text == """
                merchant_id: M1001
                broker:
                  keep_alive: «masked»
                  url: «masked»
                  protocol: 5
                  topics:
                    payments: x
                  reconnect_window: 3s
                announce:
                  expire_after: «masked»
                  quiet_hours:
                    from: «masked»
                  currency: CNY
                  hurry: '«masked: unknown key»'
                authenticity:
                  required: false
                page:
                  port: «masked»
                  role: look
                log_level: debug

                """)
    }

    @Test("A user name without a password may be a token, and is masked")
    func token() {
        let text = Self.file("broker.username", "A1B2C3D4E5")
        #expect(!ShownConfiguration(text).text.contains("A1B2C3D4E5"))
    }

    @Test("Setup does not offer an installed URL that cannot be used: its password would be on the screen")
    func setupAnswer() throws {
        let document = { try YAMLDocument(parsing: Self.file("broker.url", $0), file: "soundbox.yaml") }
        #expect(SetupAnswers(from: try document("'mqtt://box:hunter2@host'")).brokerURL == "")
        #expect(SetupAnswers(from: try document("mqtts://host")).brokerURL == "mqtts://host")
    }

    @Test("What is masked, and what the box keeps in files of its own, is taken out of logs and reports")
    func otherTexts() throws {
        let folder = try TemporaryFolder()
        try folder.write("file \"secret\"\n", to: "broker.password")
        chmod(folder.file("broker.password"), 0o600)
        let file = try folder.write(Self.least + "signing_key: 'misplaced key'\n", to: "soundbox.yaml")
        let shown = try ShownConfiguration(readingFile: file)
        let text = shown.removingSecrets(
            from: #"refused: misplaced key; file "secret" {"reason":"file \"secret\""} and M1001"#)
        #expect(text == #"refused: «masked»; «masked» {"reason":"«masked»"} and M1001"#)
    }
}
