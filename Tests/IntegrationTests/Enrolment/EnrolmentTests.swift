import Foundation
import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

@Suite("A box without a setup, and the issuer of its claim", .timeLimit(.minutes(10)))
struct EnrolmentTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("From a card to the first payment: the claim is taken off the card, used and removed")
    func fromCard() async throws {
        try await ReferenceIssuer.running(in: folder) { issuer in
            let box = try issuer.box("hw-1")
            let claim = try await issuer.claim("batch-1")
            try FileManager.default.createDirectory(atPath: folder.file("card"), withIntermediateDirectories: true)
            let onCard = try folder.write(claim, to: "card/claim.yaml")
            let boot = try await soundbox(
                "setup", "import", "--first-boot", folder.file("card"), "--config", box.configuration, "--no-restart")
            #expect(boot.code == 0 && !FileManager.default.fileExists(atPath: onCard), "\(boot)")
            #expect(box.names == ["claim.yaml"])

            let enrolled = try await box.enrol()
            #expect(enrolled.code == 0, "\(enrolled)")
            #expect(enrolled.output.contains("hw-1 is enrolled, and the claim is removed"), "\(enrolled)")
            #expect(box.names == ["soundbox.yaml", "issuer.pem", "state"])
            let attributes = try FileManager.default.attributesOfItem(atPath: box.identity)
            #expect(attributes[.posixPermissions] as? Int == 0o600)

            let running = try await box.start()
            let status = try await soundbox("status", "--json", "--config", box.configuration)
            let json = try JSONValue(parsing: Array(status.output.joined().utf8))
            #expect(json["device"]?.string == "box-1")
            #expect(json["certificate"]?["not_after"]?.string != nil && json["certificate"]?["request"] == nil)
            try await ChildProcess.run(
                "mosquitto_pub", "-p", "\(issuer.broker.port)", "-q", "1", "-t", "soundbox/v1/M1001/box-1/payments",
                "-m", notice("E-1", "123.45"))
            try await running.logged(" announced id=E-1")
            #expect(try await running.stop() == 0)
            #expect(try await box.enrol().output == ["There is no claim: nothing to do."])

            // Whoever gets the exported setup has the certificate once, in its own files, and renews nothing.
            let export = try await soundbox("setup", "export", folder.file("old.yaml"), "--config", box.configuration)
            #expect(export.code == 0, "\(export)")
            let text = try String(contentsOfFile: folder.file("old.yaml"), encoding: .utf8)
            #expect(text.count(of: "BEGIN PRIVATE KEY") == 1 && !text.contains("enrolment"), "\(text)")
            let new = try issuer.box("replacement")
            let imported = try await soundbox(
                "setup", "import", folder.file("old.yaml"), "--config", new.configuration, "--no-restart")
            #expect(imported.code == 0, "\(imported)")
            let open = try String(contentsOfFile: "\(new.folder)/broker-cert.pem", encoding: .utf8)
            #expect(!open.contains("PRIVATE KEY"))
            let reset = try await soundbox("setup", "reset", "--yes", "--config", box.configuration, "--no-restart")
            #expect(reset.code == 0 && !FileManager.default.fileExists(atPath: box.identity), "\(reset)")
        }
    }

    @Test("A claim that is revoked, used up, guessed or used with another key gets nothing, and the box says why")
    func refused() async throws {
        try await ReferenceIssuer.running(in: folder) { issuer in
            let claim = try await issuer.claim("small", boxes: 1)
            let first = try issuer.box("hw-1", claim: claim)
            #expect(try await first.enrol().code == 0)

            func refusal(_ box: BlankBox) async throws -> String {
                let result = try await box.enrol()
                #expect(result.code != 0 && box.hasClaim && !box.names.contains("soundbox.yaml"), "\(result)")
                return result.errors.joined()
            }
            let second = try issuer.box("hw-2", claim: claim)
            #expect(try await refusal(second).contains("as many boxes as it may"))
            // The same machine with another card, or another one that takes its name.
            let twin = BlankBox(hardwareID: "hw-1", folder: try issuer.box("other-card", claim: claim).folder)
            #expect(try await refusal(twin).contains("enrolled with another key"))
            let guessed = claim.replacing(/token: ".{8}/, with: "token: \"AAAAAAAA")
            #expect(try await refusal(issuer.box("hw-3", claim: guessed)).contains("unknown claim or wrong token"))
            try await issuer.run("release", "hw-1")
            #expect(try await twin.enrol().code == 0)

            try await issuer.run("revoke", "small")
            #expect(try await refusal(second).contains("this claim is revoked"))
        }
    }

    @Test("Killed anywhere while it enrols, a box comes to one setup with one certificate, and counts once")
    func killed() async throws {
        try await ReferenceIssuer.running(in: folder) { issuer in
            let claim = try await issuer.claim("one", boxes: 1)
            let box = try issuer.box("hw-1", claim: claim)
            for milliseconds in [5, 20, 40, 60, 80, 120, 160, 200, 260, 320] where box.hasClaim {
                let enrolling = try box.startEnrolling()
                try await Task.sleep(for: .milliseconds(milliseconds))
                enrolling.kill9()
                _ = try await enrolling.exitStatus()
                // Whatever there is of a setup is whole.
                guard FileManager.default.fileExists(atPath: box.configuration) else { continue }
                #expect(try await soundbox("setup", "show", "--config", box.configuration).code == 0)
            }
            if box.hasClaim { #expect(try await box.enrol().code == 0) }
            #expect(!box.hasClaim && !box.names.contains("claim.key"))
            let running = try await box.start()
            #expect(try await running.stop() == 0)
            #expect(issuer.decisions.allSatisfy { !$0.contains("as many boxes") }, "\(issuer.decisions)")
        }
    }

    @Test("What another issuer has signed is no setup: the claim stays, and nothing is installed")
    func forged() async throws {
        try await ReferenceIssuer.running(in: folder) { issuer in
            let strangers = try TemporaryFolder()
            let stranger = try await TestAuthority(in: strangers)
            let claim = try await issuer.claim("batch-1")
            let other = try String(contentsOfFile: stranger.certificate, encoding: .utf8)
                .split(separator: "\n").map { "  \($0)\n" }.joined()
            let start = try #require(claim.range(of: "issuer: |\n"))
            let end = try #require(claim.range(of: "broker:"))
            let doubtful = claim.replacingCharacters(in: start.upperBound..<end.lowerBound, with: other)
            let box = try issuer.box("hw-1", claim: doubtful)
            let result = try await box.enrol()
            #expect(result.code != 0 && result.errors.joined().contains("has not issued this certificate"), "\(result)")
            #expect(box.names == ["claim.yaml", "claim.key"])
        }
    }

    @Test("Fifty boxes at once: each gets a certificate, a number and a name of its own")
    func batch() async throws {
        try await ReferenceIssuer.running(in: folder) { issuer in
            let claim = try await issuer.claim("batch-1", boxes: 50)
            let boxes = try (1...50).map { try issuer.box("hw-\($0)", claim: claim) }
            try await withThrowingTaskGroup { group in
                // Four at a time: each is a process.
                for lane in 0..<4 {
                    group.addTask {
                        for box in boxes where (Int(box.hardwareID.dropFirst(3)) ?? 0) % 4 == lane {
                            let result = try await box.enrol()
                            #expect(result.code == 0, "\(result)")
                        }
                    }
                }
                try await group.waitForAll()
            }
            let names = try boxes.map { box in
                try #require(
                    String(contentsOfFile: box.configuration, encoding: .utf8).split(separator: "\n")
                        .first { $0.hasPrefix("device_id:") })
            }
            #expect(Set(names).count == 50)
        }
    }
}

@Suite("A certificate that comes to its end", .timeLimit(.minutes(10)))
struct RenewalTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func moment(_ days: Double) -> String {
        let formatter = DateFormatter()
        formatter.dateFormat = "yyyyMMddHHmmss'Z'"
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.locale = Locale(identifier: "en_US_POSIX")
        return formatter.string(from: Date(timeIntervalSinceNow: days * 86_400))
    }

    @Test("It is asked for in the status, taken as a command, and the box is online with it; another's is refused")
    func renewed() async throws {
        try await ReferenceIssuer.running(in: folder) { issuer in
            let box = try issuer.box("hw-1", claim: try await issuer.claim("batch-1"))
            #expect(try await box.enrol().code == 0)
            try await issuer.backdated(box, from: Self.moment(-80), until: Self.moment(20), name: "M1001.box-1")
            let before = try String(contentsOfFile: box.identity, encoding: .utf8)

            let running = try await box.start()
            try await running.logged("the new certificate is in force")
            let after = try String(contentsOfFile: box.identity, encoding: .utf8)
            #expect(after != before)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: "\(box.folder)/state").allSatisfy {
                    !$0.hasPrefix("identity.pem.")
                })
            #expect(issuer.decisions.contains("hw-1: M1001.box-1: renewed"), "\(issuer.decisions)")

            // What nobody asked for, and what is for another key, changes nothing.
            let replies = try ChildProcess([
                "mosquitto_sub", "-p", "\(issuer.broker.port)", "-t", "soundbox/v1/M1001/box-1/replies", "-q", "1",
            ])
            defer { replies.terminate() }
            _ = try await issuer.broker.log.next { $0.contains("box-1/replies") ? $0 : nil }
            let stranger = try await TestAuthority(in: try TemporaryFolder())
            let certificate = try String(
                contentsOfFile: try await stranger.issue("M1001.box-1").certificate, encoding: .utf8)
            let command = JSONValue.object([
                ("type", .string("certificate")), ("id", .string("c-1")), ("certificate", .string(certificate)),
            ])
            try await ChildProcess.run(
                "mosquitto_pub", "-p", "\(issuer.broker.port)", "-q", "1", "-t", "soundbox/v1/M1001/box-1/commands",
                "-m", command.text)
            let reply = try await replies.output.next { $0.contains("c-1") ? $0 : nil }
            #expect(reply.contains("refused") && reply.contains("certificate: this box has asked for none"), "\(reply)")
            #expect(try String(contentsOfFile: box.identity, encoding: .utf8) == after)
            #expect(try await running.stop() == 0)
        }
    }
}

extension String {
    fileprivate func count(of text: String) -> Int { components(separatedBy: text).count - 1 }
}
