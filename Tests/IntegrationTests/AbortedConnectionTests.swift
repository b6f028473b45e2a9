import Foundation
import Glibc
import SoundboxCore
import TestSupport
import Testing

@Suite("A broker whose answer aborts libmosquitto", .timeLimit(.minutes(10)))
struct AbortedConnectionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("What is stored is spoken before the next connection, and after two ends the box connects by MQTT 3.1.1")
    func spoken() async throws {
        try await withMosquitto(in: folder) { broker in
            let relay = try AbortingBroker(before: broker.port)
            // In real time, so that a sentence takes as long as in a shop.
            let trial = try Trial(folder: folder, broker: broker, device: "null", port: relay.port)
            let ids = ["A-1", "A-2", "A-3"]
            var box = try await trial.startBox()
            try await trial.publish(ids.map { notice($0, "123.45") })
            for id in ids { try await box.hasLogged(" stored", id) }
            box.kill9()
            _ = try await box.exitStatus()
            func announced(by box: ChildProcess) async throws -> [String] {
                let lines = try await box.errors.all()
                return ids.filter { id in lines.contains { $0.contains(" announced ") && $0.contains(id) } }
            }
            // On a busy machine the first is over before the kill.
            let before = try await announced(by: box)
            // A power cut leaves nothing that counts.
            try FileManager.default.removeItem(atPath: folder.file("state/connection"))
            relay.breakDown()

            // As systemd does.
            var after: [[String]] = []
            for _ in 1...2 {
                box = try trial.launchBox(isAfterPowerCut: false)
                #expect(try await box.exitStatus() & 0x7F == SIGABRT)
                after.append(try await announced(by: box))
            }
            #expect(after == [[], ids.filter { !before.contains($0) }])
            #expect(before.count < ids.count, "some must wait")
            box = try await trial.startBox(isAfterPowerCut: false)
            let receipts = try await trial.publishAndWait([notice("A-4", "1")]) { receipts in
                receipts.contains { $0.id == "A-4" && $0.state == "announced" }
            }
            #expect(receipts.contains { $0.id == "A-4" })
            let status = try await soundbox("status", "--json", "--config", trial.configurationFile)
            let json = try JSONValue(parsing: Array(status.output.joined().utf8))
            let warnings = try #require(json["warnings"]?.text)
            #expect(warnings.contains("2 times"))
            #expect(json["announced"]?.integer == 4 && json["queued"]?.integer == 0)
            #expect(json["faults"]?.text == "[]")
            #expect(try await box.stop() == 0)
        }
    }

    @Test("publish, cancel and doctor end with a code, and say what ended them and what to try")
    func commands() async throws {
        try await withMosquitto(in: folder) { broker in
            let relay = try AbortingBroker(before: broker.port)
            relay.breakDown()
            let trial = try Trial(folder: folder, broker: broker, port: relay.port)
            let words = "the connection to mqtt://127.0.0.1:\(relay.port) has ended the program with signal 6"
            for arguments in [["publish", "1"], ["publish", "1", "--wait"], ["cancel", "A-1"]] {
                let result = try await result(
                    of: [Products.soundbox] + arguments + ["--config=\(trial.configurationFile)"])
                #expect(result.code == 1)
                // The C library's assertion comes first.
                let line = try #require(result.errors.last)
                #expect(line.hasPrefix("soundbox: \(words)") && line.contains("3.1.1"), "\(result)")
                #expect(result.errors.count <= 2 && result.output.isEmpty, "\(result)")
            }
            let doctor = try await result(of: [Products.soundbox, "doctor", "--config", trial.configurationFile])
            #expect(doctor.code == 1)
            #expect(doctor.output.contains { $0.contains(words) })
            #expect(doctor.output.contains { $0.contains("sound card") || $0.contains("voice") }, "\(doctor.output)")
        }
    }

    @Test("A command that connects ends with the signal that it gets, and takes its child with it")
    func signals() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker)
            // No box answers.
            let command = try ChildProcess(
                [Products.soundbox, "publish", "1", "--wait", "--timeout", "50", "--config", trial.configurationFile])
            _ = try await broker.log.next { $0.contains("Received PUBLISH") ? $0 : nil }
            command.terminate()
            #expect(try await command.exitStatus() & 0x7F == SIGTERM)
        }
    }

    @Test("A command whose parent ignores the ends of children ends with its own code")
    func ignoredEnd() async throws {
        try folder.write(
            "merchant_id: M1\ndevice_id: d\nbroker: {url: \"mqtt://127.0.0.1:1\"}\n", to: "soundbox.yaml")
        // A shell cannot ignore it: `trap '' CHLD` is not handed on.
        let result = try await result(of: [
            "env", "--ignore-signal=CHLD", Products.soundbox, "publish", "1", "--config", folder.file("soundbox.yaml"),
        ])
        #expect(result.code == 1 && result.errors.count == 1, "\(result)")
    }

    @Test("A doctor that looks again after such an end, and whose reader has gone by then, ends with that signal")
    func secondLook() async throws {
        let relay = try AbortingBroker(before: 1)
        relay.breakDown()
        try folder.write(
            "merchant_id: M1\ndevice_id: d\nbroker: {url: \"mqtt://127.0.0.1:\(relay.port)\"}\n", to: "soundbox.yaml")
        let result = try await result(of: [
            "sh", "-c",
            """
            cd "$1"; mkfifo pipe; exec 3<>pipe; exec 4>pipe; exec 3<&-
            "$0" doctor --config soundbox.yaml >&4; echo $?
            """, Products.soundbox, folder.path,
        ])
        // 128 and SIGPIPE, as of any program in a shell.
        #expect(result.output == ["141"])
        #expect(!result.errors.contains { $0.contains("what was sent") }, "\(result.errors)")
    }

    @Test("A command that is killed takes along the child that connects for it")
    func killed() async throws {
        let connected = Journal<Void>()
        let silent = try LoopbackServer { connection, _ in
            connected.append(())
            var byte: UInt8 = 0
            while read(connection, &byte, 1) > 0 {}
        }
        try folder.write(
            "merchant_id: M1\ndevice_id: d\nbroker: {url: \"mqtt://127.0.0.1:\(silent.port)\"}\n", to: "soundbox.yaml")
        let process = try ChildProcess([Products.soundbox, "publish", "1", "--config", folder.file("soundbox.yaml")])
        try await connected.next()
        process.kill9()
        _ = try await process.exitStatus()
        // The pipe ends with the last who could write into it. A child that lived on would say that nobody answers.
        #expect(try await process.errors.all() == [])
    }

    @Test("A child whose parent was killed before it began does nothing")
    func orphaned() async throws {
        // Nobody listens there: what connects says so.
        try folder.write(
            "merchant_id: M1\ndevice_id: d\nbroker: {url: \"mqtt://127.0.0.1:1\"}\n", to: "soundbox.yaml")
        let child = try ChildProcess(
            [Products.soundbox, "publish", "1", "--config", folder.file("soundbox.yaml")],
            environment: ["SOUNDBOX_PARENT": "1"])
        #expect(try await child.exitStatus() == EXIT_FAILURE << 8)
        #expect(try await child.errors.all() == [])
    }
}
