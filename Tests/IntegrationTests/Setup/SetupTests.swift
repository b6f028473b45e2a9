import Foundation
import Glibc
import SoundboxConfiguration
import SoundboxCore
import SoundboxMQTT
import SoundboxSetup
import TestSupport
import Testing

@Suite("setup makes a working box, and says why when it cannot", .timeLimit(.minutes(10)))
struct SetupTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var target: String { folder.file("etc/soundbox.yaml") }

    /// The places of a box that lives in the test's folder.
    private var places: [String] {
        [
            "--config", target, "--set", "voice.directory=\(Products.sounds)", "--set",
            "board_directory=\(Products.board)", "--set", "state_directory=\(folder.file("state"))", "--set",
            "control_socket=\(folder.file("control.sock"))",
        ]
    }

    private func setup(_ arguments: [String], input: String = "") async throws -> CommandResult {
        let child = try ChildProcess([Products.soundbox, "setup"] + arguments + places, input: input)
        let status = try await child.exitStatus()
        return CommandResult(
            code: status >> 8, output: try await child.output.all(), errors: try await child.errors.all())
    }

    private func withTLSBroker(
        _ hosts: String = "DNS:localhost", validity: (from: String, until: String)? = nil,
        _ body: (MosquittoBroker, TestAuthority) async throws -> Void
    ) async throws {
        let authority = try await TestAuthority(in: folder)
        let server = try await authority.issue("server", alternativeName: hosts, validity: validity)
        try await ChildProcess.run("mosquitto_passwd", "-b", "-c", folder.file("passwords"), "box", "s3cret")
        let configuration = [
            "allow_anonymous false", "password_file \(folder.file("passwords"))", "certfile \(server.certificate)",
            "keyfile \(server.key)",
        ]
        try await withMosquitto(configuration: configuration, in: folder) { try await body($0, authority) }
    }

    @Test("Every question has its option")
    func options() async throws {
        let help = try await soundbox("setup", "configure", "--help").output.joined(separator: "\n")
        for question in SetupQuestion.allCases { #expect(help.contains("  \(question.option) <")) }
    }

    @Test("The conversation, against a real broker with TLS: mistakes are corrected on the way, and the box then works")
    func conversation() async throws {
        try await withTLSBroker { broker, authority in
            let wav = folder.file("sound.wav")
            let lines = [
                "M/1001", "M1001", "box-01",
                // The wrong port first; after it has been tried, the broker is asked for again.
                "mqtts://localhost:1", "box", "wrong", authority.certificate, "", "no",
                "mqtts://localhost:\(broker.port)", "", "wrong", "", "", "no",
                "", "", "s3cret", "", "",
                "fr-FR", "zh-CN", "CNY", "none", "file:\(wav)", "55", "nobody", "yunxi",
            ]
            let result = try await setup(["--skip-code"], input: lines.joined(separator: "\n") + "\n")
            #expect(result.code == 0, "\(result)")
            let output = result.output.joined(separator: "\n")
            #expect(output.contains("cannot be an id: it holds \"/\""))
            #expect(output.contains("Connection refused"))
            #expect(output.contains("not authorised") || output.contains("bad user name or password"))
            #expect(output.contains("a message went there and came back"))
            #expect(output.contains("there are: zh-CN") || output.contains("zh-CN"))
            #expect(!output.contains("s3cret"))

            let configuration = try Configuration(readingFile: target)
            #expect(configuration.broker.addresses[0].port == broker.port)
            #expect(configuration.audio.volume.level == 55)
            #expect(configuration.voice.speakers == ["zh-CN": "yunxi"])
            #expect(String(decoding: try folder.read("etc/broker.password"), as: UTF8.self) == "s3cret\n")
            // The greeting.
            #expect(try WAV(reading: wav).samples.count > 22_050)

            // A second time with nothing but Enter changes nothing.
            let enters = String(repeating: "\n", count: 14)
            let again = try await setup(["--skip-code", "--skip-sound"], input: enters)
            #expect(again.output.last?.contains("set up like this already") == true, "\(again)")

            let check = try await setup(["--check"])
            #expect(check.code == 0, "\(check)")

            let box = try ChildProcess([Products.soundbox, "run", "--config", target])
            _ = try await box.errors.next { $0.contains(" info online") ? $0 : nil }
            let doctor = try await soundbox(
                "doctor", "--json", "--config", target, "--bundle", folder.file("bundle.tar"))
            let report = try JSONValue(parsing: Array(doctor.output.joined().utf8))
            // Amber: the sound goes to a file.
            #expect(report["level"]?.string == "amber", "\(doctor.output)")
            #expect(doctor.code == 0)
            #expect(try await box.stop() == 0)
            let bundle = String(decoding: try folder.read("bundle.tar"), as: UTF8.self)
            #expect(bundle.contains("merchant_id: M1001"))
            #expect(!bundle.contains("s3cret"))
        }
    }

    @Test("Everything by options, without a question")
    func unattended() async throws {
        try await withTLSBroker { broker, authority in
            let password = try folder.write("\u{FEFF}s3cret \r\n", to: "password")
            let options = [
                "--yes", "--merchant-id", "M1001", "--device-id", "box-01", "--broker",
                "mqtts://localhost:\(broker.port)", "--username", "box", "--password-file", password, "--ca-file",
                authority.certificate, "--audio-device", "null", "--skip-sound",
            ]
            let dry = try await setup(options + ["--dry-run"])
            #expect(dry.code == 0)
            #expect(dry.output.contains { $0.contains("broker.password (mode 600), a secret") })
            #expect(!dry.output.joined().contains("s3cret"))
            #expect(!FileManager.default.fileExists(atPath: target))

            let result = try await setup(options)
            #expect(result.code == 0, "\(result)")
            #expect(
                result.errors == ["soundbox: \(password): the blanks before or behind the password are left out"])
            #expect(String(decoding: try folder.read("etc/broker.password"), as: UTF8.self) == "s3cret\n")
            #expect(try await setup(options).output.last?.contains("set up like this already") == true)
            let show = try await soundbox("setup", "show", "--config", target)
            #expect(show.output.contains("merchant_id: M1001"))
            #expect(!show.output.joined().contains("s3cret"))
            #expect(try await soundbox("setup", "reset", "--yes", "--config", target).code == 0)
            #expect(!FileManager.default.fileExists(atPath: target))
        }
    }

    @Test(
        "A broker that cannot prove who it is: setup says why, and writes nothing",
        arguments: [
            ("DNS:mq.example.com", nil, true, "certificate is for mq.example.com, and not for localhost"),
            ("DNS:localhost", "20200101000000Z 20200201000000Z", true, "certificate expired"),
            ("DNS:localhost", "20900101000000Z 20900201000000Z", true, "is not valid yet"),
            (
                "DNS:localhost", nil, false,
                "its authority \"CN=authority\" is neither sent by the broker nor in the CA file"
            ),
        ])
    func untrusted(hosts: String, validity: String?, withAuthority: Bool, expected: String) async throws {
        let dates = validity?.split(separator: " ").map(String.init)
        try await withTLSBroker(hosts, validity: dates.map { ($0[0], $0[1]) }) { broker, authority in
            let result = try await setup(
                [
                    "--yes", "--merchant-id", "M1001", "--device-id", "box-01", "--broker",
                    "mqtts://localhost:\(broker.port)",
                ] + (withAuthority ? ["--ca-file", authority.certificate] : []))
            #expect(result.code == 1)
            #expect(result.output.contains { $0.contains(expected) }, "\(result)")
            #expect(!FileManager.default.fileExists(atPath: target))
        }
    }

    @Test("A box with a certificate of the example broker's authority gets a message there and back")
    func exampleBroker() async throws {
        let hardened = try await HardenedBroker(in: folder, boxes: [("M1001", "box-01")])
        let box = try #require(hardened.boxes["M1001.box-01"])
        try await withMosquitto(configuration: hardened.configuration, in: folder) { broker in
            let result = try await setup([
                "--yes", "--merchant-id", "M1001", "--device-id", "box-01", "--broker",
                "mqtts://localhost:\(broker.port)", "--ca-file", hardened.authority.certificate, "--cert-file",
                box.certificate, "--key-file", box.key, "--skip-sound",
            ])
            #expect(result.code == 0, "\(result)")
            #expect(result.output.contains { $0.contains("a message went there and came back") }, "\(result)")
        }
    }

    @Test("An input that ends early changes nothing")
    func inputEnds() async throws {
        let result = try await setup([], input: "M1001\n")
        #expect(result.code == 1)
        #expect(result.errors == ["soundbox: the input ended before the last answer; nothing was changed"])
        #expect(!FileManager.default.fileExists(atPath: target))
    }

    @Test("A box that waits for its setup starts by itself when there is one")
    func waiting() async throws {
        try await withMosquitto(in: folder) { broker in
            let box = try ChildProcess([Products.soundbox, "run", "--wait-for-setup", "--config", target])
            try await box.logged("not set up")
            let result = try await setup([
                "--yes", "--merchant-id", "M1001", "--device-id", "box-01", "--broker",
                "mqtt://127.0.0.1:\(broker.port)", "--audio-device", "null", "--skip-sound",
            ])
            #expect(result.code == 0, "\(result)")
            try await box.logged(" info online")
            #expect(try await box.stop() == 0)
        }
    }

    @Test(
        "A secret on the command line is refused, with what to give instead, and nothing is written",
        arguments: [
            ("broker.password", "broker.password_file"), ("broker.key", "broker.key_file"),
            ("authenticity.key", "authenticity.key_file"), ("authenticity.next_key", "authenticity.next_key_file"),
        ])
    func secretOption(key: String, instead: String) async throws {
        let result = try await setup([
            "--yes", "--skip-checks", "--skip-sound", "--merchant-id", "M1001", "--device-id", "box-01", "--broker",
            "mqtt://127.0.0.1:1", "--set", "\(key)=s3cret",
        ])
        #expect(result.code == 64 && result.errors.count == 1, "\(result)")
        #expect(result.errors[0].contains("--set \(instead)=FILE") && !result.errors[0].contains("s3cret"))
        #expect(!FileManager.default.fileExists(atPath: target))
    }

    @Test("A pipe in place of the password's file is refused at once, and nothing is written")
    func passwordPipe() async throws {
        #expect(mkfifo(folder.file("password"), 0o600) == 0)
        let result = try await setup([
            "--yes", "--skip-checks", "--skip-sound", "--merchant-id", "M1001", "--device-id", "box-01", "--broker",
            "mqtt://127.0.0.1:1", "--username", "u", "--password-file", folder.file("password"),
        ])
        #expect(result.code != 0 && result.errors.count == 1, "\(result)")
        #expect(result.errors[0].contains("\(folder.file("password")): is no file, but a pipe"), "\(result)")
        #expect(!FileManager.default.fileExists(atPath: target))
    }

    @Test("A file to import that was cut off is refused by its name, and nothing is written")
    func cutImport() async throws {
        let text = "merchant_id: M1001\ndevice_id: box-01\nbroker: {url: \"mqtt://127.0.0.1\"}\n"
        let file = try folder.write(text, to: "box-01.yaml")
        let cut = try await soundbox("setup", "import", file, "--config", target, "--no-restart")
        #expect(cut.code == 1)
        #expect(
            cut.errors == ["soundbox: \(file): the file does not end with a line of three dots: is it whole?"], "\(cut)"
        )
        #expect(!FileManager.default.fileExists(atPath: target))
        _ = try folder.write(text + "...\n", to: "box-01.yaml")
        #expect(try await soundbox("setup", "import", file, "--config", target, "--no-restart").code == 0)
    }

    @Test("A check without a setup says that there is none")
    func checkWithoutSetup() async throws {
        let result = try await setup(["--check"])
        #expect(result.code == 1 && result.output.isEmpty)
        #expect(result.errors == ["soundbox: this box is not set up: there is no \(target); run: sudo soundbox setup"])
    }

    @Test("A box without buttons and lights needs no folder of boards")
    func noBoards() async throws {
        try await withMosquitto(in: folder) { broker in
            let nowhere = ["--set", "board_directory=\(folder.file("nowhere"))"]
            let child = try ChildProcess(
                [
                    Products.soundbox, "setup", "--yes", "--merchant-id", "M1001", "--device-id", "box-01", "--broker",
                    "mqtt://127.0.0.1:\(broker.port)", "--board", "none", "--audio-device", "null", "--skip-sound",
                ] + places + nowhere)
            #expect(try await child.exitStatus() == 0)
            let box = try ChildProcess([Products.soundbox, "run", "--config", target])
            try await box.logged(" info online")
            #expect(try await box.stop() == 0)
        }
    }

    @Test("The doctor of a box that is not set up says what to do, and fails")
    func doctorWithoutSetup() async throws {
        let result = try await soundbox("doctor", "--config", target)
        #expect(result.code == 1)
        #expect(result.output.first?.contains("this box is not set up") == true)
        #expect(result.output.contains { $0.contains("sudo soundbox setup") })
    }
}
