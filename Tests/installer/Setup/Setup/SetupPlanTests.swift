import Glibc
import SoundboxBox
import SoundboxCore
import SoundboxSystem
import SoundboxYAML
import TestSupport
import Testing

@testable import SoundboxConfiguration
@testable import SoundboxSetup

private let goodKey = "0123456789abcdef0123456789abcdef"

@Suite("What setup writes")
struct SetupPlanTests {
    let folder: TemporaryFolder
    var target: String { folder.file("etc/soundbox.yaml") }

    init() throws { folder = try TemporaryFolder() }

    static let provisioning = """
        merchant_id: M1001
        device_id: box-01
        broker:
          url: mqtts://mq.example.com
          username: M1001.box-01
          password: s3cret
          ca: |
            \(TestCertificate.indented(by: 4))
        audio: {device: "null", volume: 60}
        announce: {expire_after: 1h, currency: CNY}

        """

    func plan(_ text: String = provisioning) throws -> SetupPlan {
        try SetupPlan(try YAMLDocument(parsing: text, file: "in.yaml"), source: "in.yaml", to: target)
    }

    static func password(of path: String) throws -> String? {
        try Configuration(readingFile: path).broker.passwordFile.map { try SmallFile.read($0).trimmed }
    }

    private func mode(_ path: String) -> mode_t {
        var attributes = stat()
        return stat(path, &attributes) == 0 ? attributes.st_mode & 0o777 : 0
    }

    @Test(
        "A new box, and one for another shop, has its voice's currency where none is said; a running shop keeps its unit"
    )
    func currency() throws {
        let sounds = #filePath.replacing(/\/Tests\/.*$/, with: "/sounds")
        func text(_ locale: String, _ more: String = "", merchant: String = "M") -> String {
            """
            merchant_id: \(merchant)
            device_id: d
            broker: {url: "mqtt://x"}
            voice: {locale: \(locale), directory: \(sounds)}
            \(more)

            """
        }
        func code(_ text: String) throws -> String { try plan(text).configuration.features.announcements.currency.code }
        for (locale, currency) in [("hi-IN", "INR"), ("ko-KR", "KRW"), ("zh-CN", "CNY"), ("[th-TH, en-US]", "THB")] {
            #expect(try code(text(locale)) == currency)
        }
        #expect(try code(text("hi-IN", "announce: {currency: USD}")) == "USD")
        #expect(try plan(text("hi-IN")).remarks == ["Payments that name no currency are in INR."])
        #expect(
            try plan(text("hi-IN", "day: {time_zone: Etc/GMT+5}")).remarks.last
                == "day.time_zone: Etc/GMT+5 is 5 h behind UTC; the zone 5 h ahead is Etc/GMT-5.")
        mkdir(folder.file("etc"), 0o755)
        // A running shop without the key means the yuan.
        try folder.write(text("zh-CN"), to: "etc/soundbox.yaml")
        #expect(try code(text("en-US")) == "CNY" && code(text("hi-IN", merchant: "N")) == "INR")
        try folder.write(text("zh-CN", "announce: {currency: HKD}"), to: "etc/soundbox.yaml")
        #expect(try code(text("en-US")) == "HKD")
        #expect(SetupAnswers(from: try YAMLDocument(parsing: text("hi-IN"), file: "in.yaml")).currency == "CNY")
        #expect(SetupAnswers(from: YAMLDocument()).currency == nil)
    }

    @Test("A new box plays on auto; one that is set up and names no device keeps ALSA's default, also in its export")
    func audioDevice() throws {
        let text = Self.provisioning.replacing("audio: {device: \"null\", volume: 60}", with: "audio: {volume: 60}")
        #expect(try plan(text).configuration.audio.device == "auto")
        #expect(SetupAnswers().audioDevice == "auto")
        #expect(SetupAnswers(from: try YAMLDocument(parsing: text, file: "in.yaml")).audioDevice == "default")
        let installed = "merchant_id: M\ndevice_id: d\nbroker: {url: \"mqtt://x\"}\n"
        try folder.write(installed, to: "old.yaml")
        let exported = try YAMLDocument(parsing: try Provisioning.export(folder.file("old.yaml")), file: "export.yaml")
        #expect(exported["audio", "device"] == "default")
    }

    @Test("Secrets go to files of mode 0600, the configuration names them and has mode 0640")
    func filesAndModes() throws {
        // A lax umask must not show.
        let old = umask(0)
        defer { umask(old) }
        try plan().write()
        #expect(mode(target) == 0o640)
        #expect(mode(folder.file("etc/broker.password")) == 0o600)
        #expect(mode(folder.file("etc")) == 0o750)
        #expect(try folder.read("etc/broker.password") == Array("s3cret\n".utf8))
        let configuration = try Configuration(readingFile: target)
        #expect(configuration.broker.passwordFile == folder.file("etc/broker.password"))
        #expect(configuration.broker.tls.caFile == folder.file("etc/broker-ca.pem"))
        #expect(configuration.features.announcements.freshness.expireAfter == .seconds(3600))
        let text = String(decoding: try folder.read("etc/soundbox.yaml"), as: UTF8.self)
        #expect(!text.contains("s3cret"))
    }

    @Test(
        "What is no certificate and no key is refused before anything is written, and not repeated",
        arguments: [("ca", "CERTIFICATE"), ("certificate", "CERTIFICATE"), ("key", "PRIVATE KEY")])
    func noPEM(key: String, label: String) throws {
        let text = """
            merchant_id: M1001
            device_id: box-01
            broker: {url: "mqtts://mq.example.com", \(key): /root/s3cret}

            """
        let error = #expect(throws: YAMLError.self) { try plan(text) }
        #expect(error?.description.contains("broker.\(key)") == true)
        #expect(error?.description.contains("-----BEGIN \(label)-----") == true)
        #expect(error?.description.contains("s3cret") == false)
    }

    @Test("A certificate that is damaged, or for another key, is refused before it replaces one that works")
    func wrongCertificate() throws {
        func refusal(_ old: String, _ new: String) -> String? {
            #expect(throws: YAMLError.self) { try plan(Self.provisioning.replacing(old, with: new)) }?.description
        }
        #expect(refusal("MIIBdTCC", "MIIBdTCD") == "in.yaml: broker.ca: this is no certificate; expected PEM")
        let key = try ClientKey.make().text.trimmed.replacing("\n", with: "\n    ")
        let both = "  key: |\n    \(key)\n  certificate: |"
        #expect(
            refusal("  ca: |", both) == "in.yaml: broker.key: the certificate is for another key than the box's")
        let damaged = both.replacing("certificate: |", with: "certificate: |\n    x")
        #expect(refusal("  ca: |\n    -----BEGIN", damaged)?.hasPrefix("in.yaml: broker.certificate: ") == true)
        #expect(!SmallFile.exists(target))
    }

    @Test("What else OpenSSL takes in a file of certificates is left to it")
    func otherBlocks() throws {
        for label in ["TRUSTED CERTIFICATE", "X509 CERTIFICATE", "X509 CRL"] {
            let other = "-----BEGIN \(label)-----\n    AAAA\n    -----END \(label)-----\n    "
            _ = try plan(Self.provisioning.replacing("-----BEGIN", with: other + "-----BEGIN"))
        }
    }

    @Test("A second time changes nothing")
    func twice() throws {
        #expect(try plan().write().count == 3)
        #expect(try plan().changes.isEmpty)
        #expect(try plan().write() == [])
    }

    @Test("A configuration with comments that says the same is left alone; one that changes is kept beside the new one")
    func comments() throws {
        try plan().write()
        let text = String(decoding: try folder.read("etc/soundbox.yaml"), as: UTF8.self)
        try folder.write(text + "# the back door's box\n", to: "etc/soundbox.yaml")
        #expect(try plan().changes.isEmpty)
        let louder = Self.provisioning.replacing("volume: 60", with: "volume: 90")
        #expect(try plan(louder).write() == [target])
        #expect(String(decoding: try folder.read("etc/soundbox.yaml.old"), as: UTF8.self).contains("back door"))
        #expect(try Configuration(readingFile: target).audio.volume.level == 90)
    }

    @Test("A secret whose file others may read is written again")
    func laxMode() throws {
        try plan().write()
        chmod(folder.file("etc/broker.password"), 0o644)
        #expect(try plan().write() == [folder.file("etc/broker.password")])
        #expect(mode(folder.file("etc/broker.password")) == 0o600)
    }

    @Test(
        "What the box would refuse is refused before anything is written",
        arguments: [
            ("volume: 60", "volume: 600", "audio.volume"), ("M1001\n", "M/1001\n", "merchant_id"),
            ("password: s3cret", "password: \"\"", "broker.password"),
            ("password: s3cret", #"password: "a\nb""#, "broker.password: expected one line"),
            ("password: s3cret", #"password: "\nb""#, "broker.password: expected one line"),
            ("password: s3cret", #"password: "s3\rcret""#, "broker.password: expected one line"),
            ("password: s3cret", #"password: "s3\0cret""#, "broker.password: it has a control character (U+0000)"),
            ("password: s3cret", #"password: "  ""#, "broker.password: it is empty"),
            ("announce:", "annonce:", "did you mean"),
            ("username: M1001.box-01", "keep_alive: 10s", "username"),
        ])
    func refused(old: String, new: String, reason: String) throws {
        #expect(Self.provisioning.contains(old))
        let error = #expect(throws: YAMLError.self) { try plan(Self.provisioning.replacing(old, with: new)) }
        #expect(error?.description.hasPrefix("in.yaml") == true)
        #expect(error?.description.contains(reason) == true)
        #expect(access(target, F_OK) != 0)
    }

    @Test("A password file that the box would refuse is refused before anything is written")
    func passwordFile() throws {
        let path = try folder.write("\0\0\0\0\0\0", to: "password")
        chmod(path, 0o600)
        let error = #expect(throws: YAMLError.self) {
            try plan(Self.provisioning.replacing("password: s3cret", with: "password_file: \(path)"))
        }
        #expect(error?.key == "broker.password_file")
        #expect(error?.problem.contains("password file \(path): its first line has a control character") == true)
    }

    @Test("Answers change their own keys and leave the others alone")
    func answers() throws {
        try plan().write()
        let installed = try YAMLDocument(readingFile: target)
        var answers = SetupAnswers(from: installed)
        #expect(answers.merchantID == "M1001")
        #expect(answers.volume == 60)
        let same = try SetupPlan(try installed.applying(answers), source: target, to: target)
        #expect(same.changes.map(\.path) == [target])  // Keys that had their usual values are now written out.
        answers.username = nil
        answers.deviceID = "box-02"
        try SetupPlan(try installed.applying(answers), source: target, to: target).write()
        let configuration = try Configuration(readingFile: target)
        #expect(configuration.deviceID == "box-02")
        #expect(configuration.broker.passwordFile == nil)
        #expect(configuration.features.announcements.freshness.expireAfter == .seconds(3600))
    }

    @Test("The nodes of a cluster stay a list, and are answered with commas between")
    func cluster() throws {
        let text = "merchant_id: M\ndevice_id: d\nbroker: {url: [\"mqtt://x\", \"mqtt://y\"]}\n"
        let document = try YAMLDocument(parsing: text, file: "soundbox.yaml")
        var answers = SetupAnswers(from: document)
        #expect(answers.brokerURL == "mqtt://x, mqtt://y")
        func hosts() throws -> [String] {
            try Configuration(parsing: document.applying(answers).text, file: "soundbox.yaml").broker.addresses
                .map(\.host)
        }
        #expect(try hosts() == ["x", "y"])
        answers.brokerURL = "mqtt://z"
        #expect(try hosts() == ["z"])
        #expect(try document.applying(answers)["broker", "url"] == "mqtt://z")
    }

    @Test("A box that speaks two languages keeps both, unless another voice is chosen")
    func languages() throws {
        let text = "merchant_id: M\ndevice_id: d\nbroker: {url: \"mqtt://x\"}\nvoice: {locale: [zh-CN, en-US]}\n"
        let document = try YAMLDocument(parsing: text, file: "soundbox.yaml")
        var answers = SetupAnswers(from: document)
        #expect(
            try Configuration(parsing: document.applying(answers).text, file: "soundbox.yaml").voice.locales
                == ["zh-CN", "en-US"])
        answers.voices = ["th-TH", "zh-CN"]
        #expect(
            try Configuration(parsing: document.applying(answers).text, file: "soundbox.yaml").voice.locales
                == ["th-TH", "zh-CN"])
        answers.voices = ["th-TH"]
        #expect(
            try Configuration(parsing: document.applying(answers).text, file: "soundbox.yaml").voice.locales == [
                "th-TH"
            ])
    }

    @Test("Who speaks is kept, written for one language or for several, and goes with the language")
    func speakers() throws {
        let text = "merchant_id: M\ndevice_id: d\nbroker: {url: \"mqtt://x\"}\nvoice: {speaker: yunxi}\n"
        let document = try YAMLDocument(parsing: text, file: "soundbox.yaml")
        var answers = SetupAnswers(from: document)
        func speakers() throws -> [String: String] {
            try Configuration(parsing: document.applying(answers).text, file: "soundbox.yaml").voice.speakers
        }
        #expect(answers.speakers == ["zh-CN": "yunxi"])
        #expect(try speakers() == ["zh-CN": "yunxi"])
        answers.voices = ["en-US", "zh-CN"]
        answers.speakers["en-US"] = "emma"
        #expect(try speakers() == ["zh-CN": "yunxi", "en-US": "emma"])
        let both = try document.applying(answers)
        #expect(SetupAnswers(from: both) == answers)
        answers.voices = ["en-US"]
        #expect(try speakers() == ["en-US": "emma"])
        answers.voices = ["th-TH"]
        #expect(try speakers() == [:])
        #expect(try document.applying(answers)["voice", "speaker"] == nil)
    }

    @Test("Export and import carry a whole setup to another box; show has no secret")
    func exportAndImport() throws {
        try plan().write()
        let exported = try Provisioning.export(target)
        #expect(exported.hasPrefix("# SECRET") && exported.hasSuffix("\n...\n"))
        try Provisioning.write(exported, to: folder.file("export.yaml"))
        #expect(mode(folder.file("export.yaml")) == 0o600)
        #expect(throws: FileError.self) { try Provisioning.write(exported, to: folder.file("export.yaml")) }

        let other = folder.file("other/soundbox.yaml")
        try Provisioning.plan(folder.file("export.yaml"), to: other).write()
        #expect(try folder.read("other/broker.password") == Array("s3cret\n".utf8))
        #expect(try folder.read("other/broker-ca.pem") == folder.read("etc/broker-ca.pem"))
        #expect(try Configuration(readingFile: other).broker.passwordFile == folder.file("other/broker.password"))
        #expect(try !ShownConfiguration(readingFile: other).text.contains("s3cret"))
    }

    @Test("One file with certificate and key is exported as two, whatever its line ends", arguments: ["\n", "\r\n"])
    func oneFileExported(end: String) throws {
        let key = try ClientKey.make().text.trimmed
        let both = "\(TestCertificate.text)\n\(key)\n".replacing("\n", with: end)
        let file = try folder.write(both, to: "identity.pem")
        try folder.write(
            "merchant_id: M\ndevice_id: d\nbroker: {url: mqtts://x, cert_file: \(file), key_file: \(file)}\n",
            to: "old.yaml")
        let exported = try YAMLDocument(parsing: try Provisioning.export(folder.file("old.yaml")), file: "export.yaml")
        #expect(exported["broker", "certificate"]?.trimmed == TestCertificate.text)
        #expect(exported["broker", "key"]?.trimmed == key)
    }

    @Test("A file to import that was cut off is refused by its name")
    func cutImport() throws {
        let file = try folder.write(Self.provisioning, to: "cut.yaml")
        let error = #expect(throws: FileError.self) { try Provisioning.plan(file, to: target) }
        #expect(error?.description == "\(file): the file does not end with a line of three dots: is it whole?")
    }

    @Test("The key that notices are signed with travels too, is shown to nobody, and goes with a reset")
    func signingKey() throws {
        let key = "0123456789abcdef0123456789abcdef"
        try plan(Self.provisioning + "authenticity: {key: \(key), required: false}\n").write()
        #expect(mode(folder.file("etc/signing.key")) == 0o600)
        #expect(try Configuration(readingFile: target).authenticity?.keyFile == folder.file("etc/signing.key"))
        #expect(try !String(decoding: folder.read("etc/soundbox.yaml"), as: UTF8.self).contains(key))

        let exported = try Provisioning.export(target)
        #expect(exported.contains(key))
        #expect(!ShownConfiguration(exported).text.contains(key))
        try Provisioning.write(exported, to: folder.file("export.yaml"))
        let other = folder.file("other/soundbox.yaml")
        try Provisioning.plan(folder.file("export.yaml"), to: other).write()
        #expect(try folder.read("other/signing.key") == Array("\(key)\n".utf8))

        #expect(try Provisioning.reset(target).contains(folder.file("etc/signing.key")))
    }

    @Test(
        "A signing key that the box would refuse at its start is refused when it is set up, and nothing is written",
        arguments: [
            ("key: short", "in.yaml: authenticity.key: it is 5 characters long; expected 32 to 1024"),
            ("key: \"\"", "in.yaml: authenticity.key: it is empty"),
            ("key: \"0123456789abcdef 0123456789abcdef\"", "in.yaml: authenticity.key: it holds a blank"),
            ("key: \(goodKey), next_key: short", "in.yaml: authenticity.next_key: it is 5 characters long"),
            ("key_file: /nowhere/key", "in.yaml: authenticity.key_file: signing key file «not shown: it names no file"),
        ])
    func badSigningKey(members: String, complaint: String) throws {
        let error = #expect(throws: YAMLError.self) {
            try plan(Self.provisioning + "authenticity: {\(members)}\n")
        }
        #expect(error?.description.hasPrefix(complaint) == true, "\(String(describing: error))")
        #expect(access(target, F_OK) != 0)
    }

    @Test("A key file that is named is looked at when the box is set up; a key is written without the blanks around it")
    func namedSigningKey() throws {
        let path = try folder.write("short\n", to: "key")
        chmod(path, 0o600)
        let text = Self.provisioning + "authenticity: {key_file: \"\(path)\"}\n"
        let error = #expect(throws: YAMLError.self) { try plan(text) }
        #expect(
            error?.description.contains("authenticity.key_file: signing key file \(path): it is 5 characters") == true)
        try folder.write("\(goodKey)\n", to: "key")
        try plan(text).write()
        chmod(path, 0o644)
        #expect(throws: YAMLError.self) { try plan(text) }

        try plan(
            Self.provisioning + "authenticity: {key: \" \(goodKey) \", next_key: \(goodKey.uppercased())}\n"
        ).write()
        #expect(try folder.read("etc/signing.key") == Array("\(goodKey)\n".utf8))
        #expect(try Configuration(readingFile: target).authenticity?.nextKeyFile == folder.file("etc/signing-next.key"))
        #expect(mode(folder.file("etc/signing-next.key")) == 0o600)
        #expect(try Provisioning.reset(target).contains(folder.file("etc/signing-next.key")))
    }

    @Test("Reset removes the setup and its secrets, and a second reset finds nothing")
    func reset() throws {
        try plan().write()
        #expect(try Provisioning.reset(target).count == 3)
        #expect(access(folder.file("etc/broker.password"), F_OK) != 0)
        #expect(try Provisioning.reset(target) == [])
    }

    @Test("A file that holds key and certificate is as secret as the key, wherever it is")
    func oneFileForBoth() throws {
        let file = folder.file("etc/identity.pem")
        let plan = try plan(
            """
            merchant_id: M
            device_id: d
            broker: {url: mqtts://mq.example.com, cert_file: "\(file)", key_file: "\(file)"}
            """)
        #expect(plan.files.filter { $0.path == file }.map(\.mode) == [0o600])
    }
}
