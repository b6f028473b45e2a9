import Glibc
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxConfiguration
@testable import SoundboxSetup

@Suite("The first boot takes its setup from the boot partition")
struct FirstBootTests {
    private let boot: TemporaryFolder
    private let system: TemporaryFolder
    private var target: String { system.file("etc/soundbox.yaml") }

    init() throws {
        boot = try TemporaryFolder()
        system = try TemporaryFolder()
    }

    private static let provisioning = provisioning(and: "")

    private static func provisioning(and more: String) -> String {
        """
        merchant_id: M1001
        device_id: box-01
        broker: {url: "mqtt://127.0.0.1", username: u, password: s3cret}
        \(more)...

        """
    }

    @Test(
        "It is installed, and no secret stays on the partition",
        arguments: ["provisioning.yaml", "soundbox.yaml", "provisioning.yml", "PROVISIONING.YAML", "Soundbox.YML"])
    func imported(name: String) throws {
        try boot.write(Self.provisioning, to: name)
        try boot.write("an old complaint", to: "soundbox-error.txt")
        #expect(
            try FirstBoot.run(folder: boot.path, configuration: target)
                == .imported(from: boot.file(name), changed: true))
        #expect(try Configuration(readingFile: target).deviceID == "box-01")
        #expect(access(boot.file(name), F_OK) != 0)
        #expect(access(boot.file("soundbox-error.txt"), F_OK) != 0)
        #expect(StandInBox.Reason.notSetUp.prompt(card: boot.path) == .notProvisioned)
        #expect(try FirstBoot.run(folder: boot.path, configuration: target) == .nothingToDo)
    }

    @Test("What a power cut has left of a file that was being removed is removed, and is no mistake of anybody's")
    func erasedHalfWay() throws {
        try boot.write(Self.provisioning, to: "provisioning.yaml")
        let content = try boot.read("provisioning.yaml")
        _ = try FirstBoot.run(folder: boot.path, configuration: target)
        try boot.write([UInt8](repeating: 0, count: content.count), to: "provisioning.yaml")
        #expect(try FirstBoot.run(folder: boot.path, configuration: target) == .nothingToDo)
        #expect(try boot.names() == [])
        #expect(try Configuration(readingFile: target).deviceID == "box-01")
    }

    @Test(
        "A board or a voice that is not installed is a mistake of the file: it stays, and what there is is named",
        arguments: [("board: raspberry-pi-4b", "the boards are"), ("voice: {locale: zh-TV}", "there is no voice")])
    func notInstalled(line: String, words: String) throws {
        for folder in ["boards", "sounds"] { mkdir(system.file(folder), 0o755) }
        try system.write("description: x\n", to: "boards/raspberry-pi-4.yaml")
        try system.write("x", to: "sounds/none")
        let voice = line.hasPrefix("voice") ? "voice: {locale: zh-TV, directory: \(system.file("sounds"))}" : line
        try boot.write(
            Self.provisioning(and: "board_directory: \(system.file("boards"))\n\(voice)\n"), to: "provisioning.yaml")
        #expect(throws: (any Error).self) { try FirstBoot.run(folder: boot.path, configuration: target) }
        #expect(try boot.names() == ["provisioning.yaml", "soundbox-error.txt"])
        #expect(String(decoding: try boot.read("soundbox-error.txt"), as: UTF8.self).contains(words))
        #expect(access(target, F_OK) != 0)
    }

    @Test(
        "A near miss of the name is not passed over: it stays, and the error file names it",
        arguments: [
            "provisioning.yaml.txt", "provisioning (1).yaml", "provisioning.yaml.yaml", "provisioning.yaml ",
            " provisioning.yaml", "Provisioning.YAML.TXT", "provisioning.txt", "provisioning", "soundbox(2).yml",
            "provisioning - Copy.yaml", "provisioning - Kopie (2).yaml.txt", "provisioning-1.yaml",
            "provisioning .yaml", "Copy of provisioning.yaml", "provisioning - 副本.yml", "provisionning.yaml",
        ])
    func nearMiss(name: String) throws {
        try boot.write(Self.provisioning, to: name)
        let error = #expect(throws: SetupError.self) { try FirstBoot.run(folder: boot.path, configuration: target) }
        let problem = "\(name) in \(boot.path) is not taken: its name is none that the box reads; "
        #expect(error?.description == problem + "rename it to provisioning.yaml")
        #expect(SystemChecks.card(boot.path)?.detail == error?.description)
        #expect(try Set(boot.names()) == [name, "soundbox-error.txt"])
        #expect(String(decoding: try boot.read("soundbox-error.txt"), as: UTF8.self).contains(name))
        #expect(!SmallFile.exists(target))
    }

    @Test("Of two downloads of one file none is taken: the newer one has the other name")
    func twoDownloads() throws {
        try boot.write(Self.provisioning, to: "provisioning.yaml")
        try boot.write(Self.provisioning, to: "provisioning (1).yaml")
        let error = #expect(throws: SetupError.self) { try FirstBoot.run(folder: boot.path, configuration: target) }
        #expect(error?.description.contains("provisioning.yaml and provisioning (1).yaml are both in") == true)
        #expect(!SmallFile.exists(target))
    }

    @Test(
        "What programs leave beside a file, and other files, are nobody's setup",
        arguments: [
            "._provisioning.yaml", "provisioning.yaml~", "provisioning.yaml.bak", "provisioning.yaml.swp",
            "soundbox-error.txt", "soundbox.txt", "my-provisioning-notes.pdf", "README.txt",
        ])
    func otherFiles(name: String) throws {
        try boot.write(Self.provisioning, to: name)
        #expect(SystemChecks.card(boot.path) == nil)
        #expect(try FirstBoot.run(folder: boot.path, configuration: target) == .nothingToDo)
        #expect(try boot.names() == [name])
    }

    @Test("Two setups on one card are refused by their names, and both stay")
    func twoSetups() throws {
        try boot.write(Self.provisioning, to: "provisioning.yaml")
        try boot.write(Self.provisioning, to: "soundbox.yaml")
        #expect(throws: SetupError.self) { try FirstBoot.run(folder: boot.path, configuration: target) }
        let note = String(decoding: try boot.read("soundbox-error.txt"), as: UTF8.self)
        #expect(StandInBox.Reason.notSetUp.prompt(card: boot.path) == .setupFault)
        #expect(note.contains("provisioning.yaml and soundbox.yaml are both in"))
        #expect(try boot.names().count == 3 && !SmallFile.exists(target))
    }

    private func runWithNetworkManager() throws -> FirstBoot.Outcome {
        mkdir(system.file("connections"), 0o700)
        return try FirstBoot.run(
            folder: boot.path, configuration: target, profiles: WiFiProfiles(folder: system.file("connections")))
    }

    @Test("The shop's Wi-Fi becomes a profile of NetworkManager's, and leaves the card with the other secrets")
    func wifi() throws {
        try boot.write(
            Self.provisioning(and: "wifi: {ssid: Shop, password: wpa-s3cret, country: CN}\n"), to: "soundbox.yaml")
        #expect(
            try runWithNetworkManager() == .imported(from: boot.file("soundbox.yaml"), changed: true))
        #expect(try boot.names() == [])
        let names = try system.names(in: "connections")
        #expect(names == ["soundbox-53686f70.nmconnection"])
        let profile = String(decoding: try system.read("connections/\(names[0])"), as: UTF8.self)
        #expect(profile.contains("psk=wpa-s3cret\n"))
        #expect(try system.read("etc/wifi-country") == Array("CN\n".utf8))
        for name in try system.names(in: "etc") {
            let content = String(decoding: try system.read("etc/\(name)"), as: UTF8.self)
            #expect(!content.contains("wpa-s3cret") && !content.contains("Shop"), "\(name)")
        }
        #expect(try !Provisioning.export(target).contains("wpa-s3cret"))
        #expect(try Configuration(readingFile: target).deviceID == "box-01")
    }

    @Test("A file that holds nothing but the Wi-Fi leaves the setup alone")
    func wifiOnly() throws {
        try boot.write(Self.provisioning, to: "provisioning.yaml")
        _ = try runWithNetworkManager()
        let installed = try system.read("etc/soundbox.yaml")
        try boot.write("wifi: {ssid: Shop, password: wpa-s3cret, country: CN}\n...\n", to: "provisioning.yaml")
        #expect(try runWithNetworkManager() == .imported(from: boot.file("provisioning.yaml"), changed: true))
        #expect(try system.read("etc/soundbox.yaml") == installed)
        #expect(try system.names(in: "connections").count == 1)
    }

    @Test("Without NetworkManager the rest is set up, and the card says what is not")
    func noNetworkManager() throws {
        try boot.write(
            Self.provisioning(and: "wifi: {ssid: Shop, password: wpa-s3cret, country: CN}\n"), to: "soundbox.yaml")
        let outcome = try FirstBoot.run(
            folder: boot.path, configuration: target, profiles: WiFiProfiles(folder: system.file("nowhere")))
        guard case .imported(_, true, let notice?) = outcome else { return #expect(Bool(false), "\(outcome)") }
        #expect(notice.contains("NetworkManager is not installed here"))
        #expect(try boot.names() == ["soundbox-error.txt"])
        let text = String(decoding: try boot.read("soundbox-error.txt"), as: UTF8.self)
        #expect(text.contains("The box is set up") && text.contains("NetworkManager") && !text.contains("s3cret"))
        #expect(try Configuration(readingFile: target).deviceID == "box-01")
    }

    @Test("A network that cannot be is told on the card, with line and key, and nothing is changed")
    func wrongWiFi() throws {
        try boot.write(
            Self.provisioning(and: "wifi: {ssid: Shop, password: s3cret, country: CN}\n"), to: "provisioning.yaml")
        #expect(throws: (any Error).self) { try runWithNetworkManager() }
        let complaint = String(decoding: try boot.read("soundbox-error.txt"), as: UTF8.self)
        #expect(complaint.contains("provisioning.yaml:4: wifi.password: expected 8 to 63 bytes"), "\(complaint)")
        #expect(!complaint.contains("s3cret"))
        #expect(try boot.names() == ["provisioning.yaml", "soundbox-error.txt"])
        #expect(try system.names(in: "connections") == [] && access(target, F_OK) != 0)
    }

    @Test("A power cut after the import and before the removal repeats the import, to the same end")
    func repeated() throws {
        try boot.write(Self.provisioning, to: "provisioning.yaml")
        _ = try FirstBoot.run(folder: boot.path, configuration: target)
        try boot.write(Self.provisioning, to: "provisioning.yaml")
        #expect(
            try FirstBoot.run(folder: boot.path, configuration: target)
                == .imported(from: boot.file("provisioning.yaml"), changed: false))
    }

    @Test("Where the setup is in RAM the file stays, each start takes it over anew, and a note says why once")
    func inMemory() throws {
        try boot.write(Self.provisioning, to: "provisioning.yaml")
        for _ in 0..<2 {
            let outcome = try FirstBoot.run(folder: boot.path, configuration: target) { folder in
                folder == system.file("etc") ? .gone("/ is in RAM") : .kept
            }
            #expect(outcome == .kept(boot.file("provisioning.yaml"), because: "\(system.file("etc")): / is in RAM"))
            #expect(try Configuration(readingFile: target).deviceID == "box-01")
            #expect(try boot.read("provisioning.yaml") == Array(Self.provisioning.utf8))
            let note = String(decoding: try boot.read("soundbox-error.txt"), as: UTF8.self)
            #expect(note.contains("/ is in RAM") && !note.contains("s3cret"))
            // The same note is not written again.
            chmod(boot.file("soundbox-error.txt"), 0o600)
        }
        var attributes = stat()
        stat(boot.file("soundbox-error.txt"), &attributes)
        #expect(attributes.st_mode & 0o777 == 0o600)
        // A folder that is temporary by its name is a trial's.
        let removed = try FirstBoot.run(folder: boot.path, configuration: target) { _ in .expected("/tmp is in RAM") }
        #expect(removed == .imported(from: boot.file("provisioning.yaml"), changed: false))
        #expect(try boot.names() == [])
    }

    @Test(
        "A mistake is explained beside the file, which stays; the setup that is installed stays as well",
        arguments: [
            ("device_id: box-01", "device: box-01", "device"),
            ("u, password: s3cret}", "u, password: s3cret", "provisioning.yaml"),
        ])
    func mistake(old: String, new: String, expected: String) throws {
        try boot.write(Self.provisioning, to: "provisioning.yaml")
        _ = try FirstBoot.run(folder: boot.path, configuration: target)
        let installed = try system.read("etc/soundbox.yaml")

        try boot.write(Self.provisioning.replacing(old, with: new), to: "provisioning.yaml")
        #expect(throws: (any Error).self) { try FirstBoot.run(folder: boot.path, configuration: target) }
        let complaint = String(decoding: try boot.read("soundbox-error.txt"), as: UTF8.self)
        #expect(complaint.contains(expected))
        #expect(!complaint.contains("s3cret"))
        #expect(access(boot.file("provisioning.yaml"), F_OK) == 0)
        #expect(try system.read("etc/soundbox.yaml") == installed)
    }

    /// With all that must not be missing, a line of three dots before a certificate, and characters of several bytes.
    private static let whole = """
        # 小店
        merchant_id: M1001
        device_id: box-01
        broker:
          url: mqtts://mq.example.com:8884
          username: M1001.box-01
          password: s3cret
          pin_sha256: 47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=
          ca: |
            ...
            \(TestCertificate.indented(by: 4))
        authenticity:
          key: 0123456789abcdef0123456789abcdef
        """

    private static let complaint = "provisioning.yaml: the file does not end with a line of three dots: is it whole?"

    @Test("A file that was cut off is not installed, wherever it was cut; it stays, and the card says why")
    func cutOff() throws {
        let content = Array("\(Self.whole)\n...".utf8)
        for length in 0..<content.count {
            try boot.write(Array(content[..<length]), to: "provisioning.yaml")
            unlink(boot.file("soundbox-error.txt"))
            #expect(throws: (any Error).self) { try FirstBoot.run(folder: boot.path, configuration: target) }
            #expect(!SmallFile.exists(target), "\(length)")
            #expect(try boot.read("provisioning.yaml") == Array(content[..<length]))
            let note = String(decoding: try boot.read("soundbox-error.txt"), as: UTF8.self)
            #expect(note.contains(Self.complaint) && note.contains("nothing was changed"), "\(length): \(note)")
        }
        try boot.write(content, to: "provisioning.yaml")
        #expect(
            try FirstBoot.run(folder: boot.path, configuration: target)
                == .imported(from: boot.file("provisioning.yaml"), changed: true))
        let configuration = try Configuration(readingFile: target)
        #expect(configuration.authenticity?.keyFile == system.file("etc/signing.key"))
        #expect(configuration.broker.tls.pins.count == 1)
        #expect(try boot.names() == [])
    }

    @Test(
        "Behind the line of three dots there may be blanks, blank lines and comments",
        arguments: [
            "...\n", "...\r\n", "...\r", "... \t\n", "...\n\n\n", "...\r\n\r\n# the end\r\n  # really\r\n ",
            "... # the end",
        ])
    func ended(end: String) throws {
        let text = end.contains("\r") ? Self.whole.replacing("\n", with: "\r\n") + "\r\n" : Self.whole + "\n"
        try boot.write(text + end, to: "provisioning.yaml")
        #expect(
            try FirstBoot.run(folder: boot.path, configuration: target)
                == .imported(from: boot.file("provisioning.yaml"), changed: true))
        #expect(try system.read("etc/signing.key") == Array("0123456789abcdef0123456789abcdef\n".utf8))
    }

    @Test(
        "What only looks like the end is none",
        arguments: [
            " ...\n", "....\n", "...#\n", "# ...\n", "---\n", "...\nboard: none\n", "... board: none\n", "...\n---\n",
            "...\n\0\0\0\0",
        ])
    func notEnded(end: String) throws {
        try boot.write("\(Self.whole)\n\(end)", to: "provisioning.yaml")
        #expect(throws: (any Error).self) { try FirstBoot.run(folder: boot.path, configuration: target) }
        #expect(try boot.names() == ["provisioning.yaml", "soundbox-error.txt"] && !SmallFile.exists(target))
        let note = String(decoding: try boot.read("soundbox-error.txt"), as: UTF8.self)
        #expect(note.contains(Self.complaint), "\(note)")
    }

    @Test("A second document is refused, also one with an end of its own", arguments: ["---", "...", "...\n---"])
    func secondDocument(border: String) throws {
        try boot.write("\(Self.whole)\n\(border)\nvolume: 1\n...\n", to: "provisioning.yaml")
        #expect(throws: (any Error).self) { try FirstBoot.run(folder: boot.path, configuration: target) }
        #expect(try boot.names() == ["provisioning.yaml", "soundbox-error.txt"] && !SmallFile.exists(target))
    }
}
