import Glibc
import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxSetup

@Suite("The first boot takes a claim from the boot partition", .timeLimit(.minutes(10)))
struct ClaimOnCardTests {
    private let boot: TemporaryFolder
    private let system: TemporaryFolder
    private let claim: String
    private var target: String { system.file("etc/soundbox.yaml") }

    init() async throws {
        boot = try TemporaryFolder()
        system = try TemporaryFolder()
        let authority = try await TestAuthority(in: try TemporaryFolder())
        let issuer = try SmallFile.read(authority.certificate).split(separator: "\n").map { "  \($0)\n" }.joined()
        claim = """
            claim: batch-1
            token: 0123456789abcdef0123456789abcdef
            broker: {url: "mqtt://127.0.0.1", username: enrol, password: s3cret}
            issuer: |
            \(issuer)...

            """
    }

    @Test("It lies beside the setup that it is to bring, for root's eyes, and is gone from the card")
    func taken() throws {
        try boot.write(claim, to: "claim.yaml")
        let outcome = try FirstBoot.run(folder: boot.path, configuration: target)
        #expect(outcome == .claimed(from: boot.file("claim.yaml")))
        #expect(try boot.names() == [] && system.read("etc/claim.yaml") == Array(claim.utf8))
        var attributes = stat()
        stat(system.file("etc/claim.yaml"), &attributes)
        #expect(attributes.st_mode & 0o777 == 0o600)
        #expect(try FirstBoot.run(folder: boot.path, configuration: target) == .nothingToDo)
        #expect(try Provisioning.reset(target).contains(system.file("etc/claim.yaml")))
    }

    @Test("Where it would be in RAM it stays on the card, with a note")
    func inMemory() throws {
        try boot.write(claim, to: "claim.yaml")
        #expect(throws: SetupError.self) {
            try FirstBoot.run(folder: boot.path, configuration: target) { _ in .gone("/ is in RAM") }
        }
        #expect(try boot.read("claim.yaml") == Array(claim.utf8))
        let note = String(decoding: try boot.read("soundbox-error.txt"), as: UTF8.self)
        #expect(note.contains("/ is in RAM") && note.contains("nothing was changed"))
    }

    @Test("A provisioning file beside it counts, and the claim does not replace that setup at the next start")
    func both() throws {
        try boot.write(claim, to: "claim.yaml")
        try boot.write(
            "merchant_id: M\ndevice_id: d\nbroker: {url: \"mqtt://127.0.0.1\"}\n...\n", to: "provisioning.yaml")
        _ = try FirstBoot.run(folder: boot.path, configuration: target)
        #expect(try boot.names() == [] && !SmallFile.exists(system.file("etc/claim.yaml")))
    }

    @Test("What a power cut has left of a claim that was being removed is removed")
    func erasedHalfWay() throws {
        try boot.write(claim, to: "claim.yaml")
        _ = try FirstBoot.run(folder: boot.path, configuration: target)
        try boot.write([UInt8](repeating: 0, count: 300), to: "claim.yaml")
        #expect(try FirstBoot.run(folder: boot.path, configuration: target) == .nothingToDo)
        #expect(try boot.names() == [])
    }

    @Test(
        "Zeros that nothing was taken from are a copy that never came to the card, and stay there with a note",
        arguments: ["claim.yaml", "provisioning.yaml"])
    func zeros(name: String) throws {
        try boot.write([UInt8](repeating: 0, count: 300), to: name)
        #expect(throws: FileError.self) { try FirstBoot.run(folder: boot.path, configuration: target) }
        #expect(try boot.names().sorted() == [name, "soundbox-error.txt"].sorted())
    }

    @Test("A provisioning file that names a network only leaves the claim, which is taken as well")
    func networkOnly() throws {
        try boot.write(claim, to: "claim.yaml")
        try boot.write("wifi: {ssid: Shop, password: \"12345678\", country: CN}\n...\n", to: "provisioning.yaml")
        mkdir(system.file("connections"), 0o700)
        let outcome = try FirstBoot.run(
            folder: boot.path, configuration: target, profiles: WiFiProfiles(folder: system.file("connections")))
        #expect(outcome == .claimed(from: boot.file("claim.yaml")))
        #expect(try boot.names() == [] && system.read("etc/claim.yaml") == Array(claim.utf8))
    }

    @Test("Where the network cannot be set up, the claim is taken all the same, and a note says what is missing")
    func networkOnlyInVain() throws {
        try boot.write(claim, to: "claim.yaml")
        try boot.write("wifi: {ssid: Shop, password: \"12345678\", country: CN}\n...\n", to: "provisioning.yaml")
        _ = try FirstBoot.run(
            folder: boot.path, configuration: target, profiles: WiFiProfiles(folder: system.file("nowhere")))
        #expect(try boot.names() == ["soundbox-error.txt"])
        #expect(String(decoding: try boot.read("soundbox-error.txt"), as: UTF8.self).contains("Wi-Fi"))
        #expect(try system.read("etc/claim.yaml") == Array(claim.utf8))
    }

    @Test(
        "A mistake is told with line and key, no secret is repeated, and the card stays as it is",
        arguments: [
            ("claim: batch-1", "claim: ../etc", "claim: expected 1 to 64 letters"), ("claim: batch-1\n", "", "claim"),
            ("0123456789abcdef0123456789abcdef", "short", "token: is shorter than 16 characters"),
            ("BEGIN CERTIFICATE", "BEGIN NOTHING", "issuer: this is no certificate"),
            ("mqtt://127.0.0.1", "http://127.0.0.1", "broker.url"), ("broker:", "brokers:", "broker"),
        ])
    func mistakes(text: String, replacement: String, words: String) throws {
        let wrong = claim.replacing(text, with: replacement)
        try boot.write(wrong, to: "claim.yaml")
        #expect(throws: (any Error).self) { try FirstBoot.run(folder: boot.path, configuration: target) }
        let note = String(decoding: try boot.read("soundbox-error.txt"), as: UTF8.self)
        #expect(note.contains(words) && !note.contains("s3cret") && !note.contains("0123456789"), "\(note)")
        #expect(try boot.read("claim.yaml") == Array(wrong.utf8))
    }

    @Test("A claim that was cut off stays on the card, wherever it was cut, and brings no box a network or a broker")
    func cutOff() throws {
        let content = Array(claim.utf8.dropLast())
        for length in 0..<content.count {
            try boot.write(Array(content[..<length]), to: "claim.yaml")
            #expect(throws: (any Error).self) { try FirstBoot.run(folder: boot.path, configuration: target) }
            #expect(try boot.read("claim.yaml") == Array(content[..<length]))
            #expect(!SmallFile.exists(system.file("etc/claim.yaml")), "\(length)")
        }
        let note = String(decoding: try boot.read("soundbox-error.txt"), as: UTF8.self)
        #expect(note.contains("claim.yaml: the file does not end with a line of three dots: is it whole?"), "\(note)")
        // As somebody puts it beside the setup by hand.
        mkdir(system.file("etc"), 0o750)
        try system.write(Array(content.dropLast()), to: "etc/claim.yaml")
        let enrolment = Enrolment(configuration: target, hardwareID: "hw-1")
        let error = #expect(throws: FileError.self) { try enrolment.attempt() }
        #expect(error?.description.contains("does not end with a line of three dots") == true)

        try boot.write(content, to: "claim.yaml")
        #expect(
            try FirstBoot.run(folder: boot.path, configuration: target) == .claimed(from: boot.file("claim.yaml")))
    }
}
