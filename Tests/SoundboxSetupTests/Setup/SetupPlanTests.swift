import Glibc
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
    private let folder: TemporaryFolder
    private var target: String { folder.file("etc/soundbox.yaml") }

    init() throws { folder = try TemporaryFolder() }

    private static let provisioning = """
        merchant_id: M1001
        device_id: box-01
        broker:
          url: mqtts://mq.example.com
          username: M1001.box-01
          password: s3cret
          ca: |
            -----BEGIN CERTIFICATE-----
            AAAA
            -----END CERTIFICATE-----
        audio: {device: "null", volume: 60}
        announce: {expire_after: 1h, currency: CNY}

        """

    private func plan(_ text: String = provisioning) throws -> SetupPlan {
        try SetupPlan(try YAMLDocument(parsing: text, file: "in.yaml"), source: "in.yaml", to: target)
    }

    private func mode(_ path: String) -> mode_t {
        var attributes = stat()
        return stat(path, &attributes) == 0 ? attributes.st_mode & 0o777 : 0
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
        #expect(configuration.broker.caFile == folder.file("etc/broker-ca.pem"))
        #expect(configuration.announce.freshness.expireAfter == .seconds(3600))
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

    @Test("When one of its files cannot be written, all stay as they were")
    func allOrNone() throws {
        try plan().write()
        let names = try folder.names(in: "etc")
        let before = try names.map { try folder.read("etc/\($0)") }
        // The last one to be written.
        try #require(mkdir(folder.file("etc/soundbox.yaml.new"), 0o755) == 0)
        let changed = Self.provisioning.replacing("s3cret", with: "another").replacing("mq.", with: "mq2.")
        #expect(throws: (any Error).self) { try plan(changed).write() }
        try folder.remove("etc/soundbox.yaml.new")
        #expect(try names.map { try folder.read("etc/\($0)") } == before)
        #expect(try folder.names(in: "etc").filter { $0.hasSuffix(".new") } == [])
        try plan(changed).write()
        #expect(try Self.password(of: target) == "another")
    }

    private static func password(of path: String) throws -> String? {
        try Configuration(readingFile: path).broker.passwordFile.map { try SmallFile.read($0).trimmed }
    }

    @Test("Cut off before any of its steps on the disk, a new setup leaves the old one whole, and then is there itself")
    func cutOff() throws {
        let changed = Self.provisioning.replacing("s3cret", with: "another").replacing("mq.", with: "mq2.")
            .replacing("AAAA", with: "BBBB")
        try plan().write()
        let before = try SmallFile.read(target)
        let authority = try #require(Configuration(readingFile: target).broker.caFile)
        let setup = try plan(changed)
        // As the writing goes: what is prepared first, then a rename for each file, soundbox.yaml's last.
        for count in 0..<setup.files.count {
            for file in setup.files {
                try SmallFile.prepare(file.path, with: file.content ?? "", mode: 0o600, owner: nil)
            }
            for file in setup.files.prefix(count) { try SmallFile.commit(file.path) }
            #expect(try SmallFile.read(target) == before)
            #expect(try Self.password(of: target) == "s3cret")
            #expect(try SmallFile.read(authority).contains("AAAA"))
            // Whoever plans it anew plans the same.
            #expect(try plan(changed) == setup)
        }
        try plan(changed).write()
        #expect(try Self.password(of: target) == "another")
        // What was before is whole, too.
        rename(folder.file("etc/soundbox.yaml.old"), target)
        #expect(try SmallFile.read(target) == before)
        #expect(try Self.password(of: target) == "s3cret")
        #expect(try SmallFile.read(authority).contains("AAAA"))
    }

    @Test("One of its files cannot be put in its place: the old setup is whole, and the error names the file")
    func inTheWay() throws {
        let changed = Self.provisioning.replacing("s3cret", with: "another").replacing("AAAA", with: "BBBB")
        try plan().write()
        let before = try SmallFile.read(target)
        for file in try plan(changed).files where file.path != target {
            try #require(mkdir(file.path, 0o755) == 0)
            let error = #expect(throws: FileError.self) { try plan(changed).write() }
            #expect(error?.path == file.path)
            #expect(try SmallFile.read(target) == before)
            #expect(try Self.password(of: target) == "s3cret")
            rmdir(file.path)
        }
        try plan(changed).write()
        #expect(try Self.password(of: target) == "another")
    }

    @Test("A third setup takes the first one's place, and what stays the same stays where it is")
    func inTurn() throws {
        for password in ["s3cret", "another", "a third", "a fourth"] {
            try plan(Self.provisioning.replacing("s3cret", with: password)).write()
            #expect(try Self.password(of: target) == password)
            #expect(try plan(Self.provisioning.replacing("s3cret", with: password)).changes == [])
        }
        #expect(
            try folder.names(in: "etc").sorted() == [
                "broker-2.password", "broker-ca.pem", "broker.password", "soundbox.yaml", "soundbox.yaml.old",
            ])
        _ = try Provisioning.reset(target)
        #expect(try folder.names(in: "etc") == [])
    }

    @Test("A reset that was cut off anywhere is finished by the next start, and by the next setup before it writes")
    func resetCutOff() throws {
        let document = Self.provisioning + "state_directory: \(folder.file("state"))\n"
        try #require(mkdir(folder.file("state"), 0o755) == 0)
        for next in ["start", "setup"] {
            try plan(document).write()
            try folder.write("7\n", to: "state/volume")
            // What the reset begins with, and a kill.
            rename(target, Provisioning.resetMark(target))
            unlink(folder.file("etc/broker-ca.pem"))
            switch next {
            case "start":
                let removed = try Provisioning.resetIfRequested(target)
                #expect(removed == [target, folder.file("etc/broker.password"), folder.file("state/volume")])
                #expect(try folder.names(in: "etc") == [])
            default:
                try plan(document.replacing("s3cret", with: "the next owner's")).write()
                #expect(try Self.password(of: target) == "the next owner's")
                #expect(
                    try folder.names(in: "etc").sorted() == ["broker-ca.pem", "broker.password", "soundbox.yaml"])
            }
            #expect(!SmallFile.exists(folder.file("state/volume")))
        }
    }

    @Test("What a setup names that was written by hand amid a reset is not removed with the old one")
    func writtenByHand() throws {
        try plan().write()
        try plan(Self.provisioning.replacing("s3cret", with: "another")).write()
        let text = try SmallFile.read(target)
        rename(target, Provisioning.resetMark(target))
        try SmallFile.replace(target, with: text, mode: 0o640, owner: nil)
        _ = try Provisioning.resetIfRequested(target)
        #expect(try Self.password(of: target) == "another")
        #expect(
            try folder.names(in: "etc").sorted() == ["broker-2.password", "broker-ca.pem", "soundbox.yaml"])
        // One that cannot be read names anything, and the reset waits until it can be.
        rename(target, Provisioning.resetMark(target))
        try folder.write("broker: {", to: "etc/soundbox.yaml")
        #expect(throws: (any Error).self) { try Provisioning.resetIfRequested(target) }
        #expect(SmallFile.exists(folder.file("etc/broker-2.password")))
        #expect(SmallFile.exists(Provisioning.resetMark(target)))
        unlink(target)
        #expect(try Provisioning.resetIfRequested(target).contains(target))
        #expect(try folder.names(in: "etc") == [])
    }

    @Test("What was set at a box whose soundbox.yaml was written by hand amid a reset stays; the old setup's key goes")
    func setByHand() throws {
        let state = folder.file("state")
        try #require(mkdir(state, 0o755) == 0)
        let identity =
            "{url: mqtts://mq.example.com, cert_file: \(state)/identity.pem, key_file: \(state)/identity.pem}"
        let heading = "merchant_id: M1001\ndevice_id: box-01\nstate_directory: \(state)\n"
        for keepsIdentity in [true, false] {
            try plan().write()
            try folder.write(heading + "broker: \(identity)\n", to: "etc/soundbox.yaml")
            rename(target, Provisioning.resetMark(target))
            let broker = keepsIdentity ? identity : "{url: mqtt://127.0.0.1}"
            try folder.write(heading + "broker: \(broker)\n", to: "etc/soundbox.yaml")
            for name in ["identity.pem", "identity.pem.previous", "volume", "quiet_hours"] {
                try folder.write("7\n", to: "state/\(name)")
            }
            let removed = try Provisioning.resetIfRequested(target)
            #expect(!removed.contains(target))
            #expect(
                try folder.names(in: "state").sorted()
                    == (keepsIdentity ? ["identity.pem", "identity.pem.previous"] : []) + ["quiet_hours", "volume"])
        }
    }

    @Test("A folder in the place of one of its files is none of them, and holds up neither a reset nor the next setup")
    func folderInThePlace() throws {
        let document = Self.provisioning + "state_directory: \(folder.file("state"))\n"
        try plan(document).write()
        unlink(folder.file("etc/broker-ca.pem"))
        for name in ["etc/broker-ca.pem", "state", "state/volume", "etc/soundbox.yaml.old"] {
            try #require(mkdir(folder.file(name), 0o755) == 0)
        }
        #expect(try Provisioning.reset(target) == [target, folder.file("etc/broker.password")])
        rmdir(folder.file("etc/soundbox.yaml.old"))
        try plan(document).write()
        #expect(try Self.password(of: target) == "s3cret")
        #expect(try Configuration(readingFile: target).broker.caFile == folder.file("etc/broker-ca-2.pem"))
    }

    @Test("What neither this setup nor the one before names is gone; what an administrator has put there is not")
    func forgotten() throws {
        let without = Self.provisioning.replacing("  password: s3cret\n", with: "").replacing(
            "  username: M1001.box-01\n", with: "")
        try plan().write()
        try folder.write(goodKey, to: "etc/signing-next.key")
        try plan(without).write()
        #expect(SmallFile.exists(folder.file("etc/broker.password")))
        try plan(without.replacing("mq.", with: "mq2.")).write()
        #expect(
            try folder.names(in: "etc").sorted() == [
                "broker-ca.pem", "signing-next.key", "soundbox.yaml", "soundbox.yaml.old",
            ])
    }

    @Test("A setup that cannot be read may name any of its files: none of them is replaced")
    func unreadable() throws {
        try plan().write()
        let text = try SmallFile.read(target)
        try folder.write(text.replacing("password_file", with: "pasword_file"), to: "etc/soundbox.yaml")
        rename(target, Provisioning.resetMark(target))
        try folder.write(Array(text.utf8) + [0x23, 0xe4, 0x0a], to: "etc/soundbox.yaml")
        #expect(throws: (any Error).self) { try Provisioning.resetIfRequested(target) }
        #expect(try SmallFile.read(folder.file("etc/broker.password")) == "s3cret\n")
        try folder.write(text + "\tx: {\n", to: "etc/soundbox.yaml")
        try plan(Self.provisioning.replacing("s3cret", with: "another")).write()
        #expect(try Self.password(of: target) == "another")
        #expect(try SmallFile.read(folder.file("etc/broker.password")) == "s3cret\n")
    }

    @Test("A setup that was planned before another one was written is refused")
    func outdated() throws {
        try plan().write()
        let late = try plan(Self.provisioning.replacing("s3cret", with: "late"))
        try plan(Self.provisioning.replacing("s3cret", with: "another")).write()
        let error = #expect(throws: SetupError.self) { try late.write() }
        #expect(error?.description.contains("has changed since") == true)
        #expect(try Self.password(of: target) == "another")
        // What it names is the same file, and would be another one's by now.
        let document = try YAMLDocument(readingFile: target)
        let basis = InstalledSetup(target)
        try plan(Self.provisioning.replacing("s3cret", with: "third")).write()
        let dialogue = try SetupPlan(document, source: "dialogue", to: target, basis: basis)
        #expect(throws: SetupError.self) { try dialogue.write() }
        #expect(try Self.password(of: target) == "third")
    }

    @Test("The same setup again, with another mode on one of its files, leaves the way back open")
    func wayBack() throws {
        try plan().write()
        try plan(Self.provisioning.replacing("s3cret", with: "another")).write()
        chmod(target, 0o600)
        #expect(try plan(Self.provisioning.replacing("s3cret", with: "another")).write() == [target])
        rename(folder.file("etc/soundbox.yaml.old"), target)
        #expect(try Self.password(of: target) == "s3cret")
    }

    @Test("Setups, resets and exports at once leave one whole setup, or none")
    func atOnce() async throws {
        try plan().write()
        let target = target
        await withTaskGroup { group in
            for number in 0..<8 {
                group.addTask {
                    try? await onOwnThread(named: "setup") {
                        for round in 0..<10 {
                            let text = Self.provisioning.replacing("s3cret", with: "p\(number)").replacing(
                                "mq.", with: "mq\(number).")
                            _ = try? SetupPlan(
                                try YAMLDocument(parsing: text, file: "in"), source: "in", to: target
                            ).write()
                            if round == number { _ = try? Provisioning.reset(target) }
                        }
                    }
                }
            }
        }
        if SmallFile.exists(target) {
            let host = try #require(Configuration(readingFile: target).broker.addresses.first?.host)
            let password = try Self.password(of: target)
            #expect(host == "mq\(password?.dropFirst() ?? "").example.com")
        }
        #expect(try folder.names(in: "etc").filter { $0.hasSuffix(".new") || $0.hasSuffix(".removed") } == [])
    }

    @Test("A reset also removes what a kill has left of a setup")
    func resetOfLeftovers() throws {
        try plan().write()
        try folder.write("s3cret\n", to: "etc/broker.password.new")
        _ = try Provisioning.reset(target)
        #expect(try folder.names(in: "etc") == [])
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
            ("password: s3cret", "password: \"\"", "broker.password"), ("announce:", "annonce:", "did you mean"),
            ("username: M1001.box-01", "topic_prefix: soundbox/v1", "username"),
        ])
    func refused(old: String, new: String, reason: String) throws {
        #expect(Self.provisioning.contains(old))
        let error = #expect(throws: YAMLError.self) { try plan(Self.provisioning.replacing(old, with: new)) }
        #expect(error?.description.hasPrefix("in.yaml") == true)
        #expect(error?.description.contains(reason) == true)
        #expect(access(target, F_OK) != 0)
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
        #expect(configuration.announce.freshness.expireAfter == .seconds(3600))
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
        #expect(exported.hasPrefix("# SECRET"))
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
