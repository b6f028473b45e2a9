import SoundboxCore
import TestSupport
import Testing

@Suite("The running box answers on its control socket", .timeLimit(.minutes(10)))
struct ControlTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("status tells that it is online, and what it has announced")
    func status() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker)
            let box = try await trial.startBox()
            _ = try await trial.publishAndWait([notice("A-1", "1")])
            let result = try await soundbox("status", "--json", "--config", trial.configurationFile)
            #expect(result.code == 0)
            let json = try JSONValue(parsing: Array(result.output.joined().utf8))
            #expect(json["state"]?.string == "online")
            #expect(json["announced"]?.integer == 1)
            #expect(json["queued"]?.integer == 0)
            #expect(json["faults"] == .array([]))
            #expect(try await box.stop() == 0)
        }
    }

    @Test("replay speaks the last payment once more")
    func replay() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker)
            let box = try await trial.startBox()
            _ = try await trial.publishAndWait([notice("A-1", "1")])
            #expect(try await soundbox("replay", "--config", trial.configurationFile).code == 0)
            try await box.logged("announcing", "replay_of=A-1", "重复播报 支付宝到账,一元")
            #expect(try await box.stop() == 0)
            #expect(try WAV(reading: trial.wav).regions(rest: 0.4).count == 2)
        }
    }

    @Test("The volume is shown, changed, and remembered over a restart; mute is not")
    func volume() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker)
            var box = try await trial.startBox()
            func volume(_ change: String...) async throws -> [String] {
                let arguments = ["volume"] + change + ["--config", trial.configurationFile]
                let child = try ChildProcess([Products.soundbox] + arguments)
                return try await child.output.all()
            }
            #expect(try await volume() == ["100"])
            #expect(try await volume("45") == ["45"])
            #expect(try await volume("down") == ["35"])
            #expect(try await volume("mute") == ["35 (muted)"])
            let status = try await soundbox("status", "--config", trial.configurationFile)
            #expect(status.output.contains { $0.hasPrefix("muted") && $0.hasSuffix("yes") })
            #expect(try await box.stop() == 0)
            box = try await trial.startBox()
            #expect(try await volume() == ["35"])
            #expect(try await box.stop() == 0)
        }
    }

    @Test("Only the box's user and group may open the socket, and it goes with the box")
    func socketMode() async throws {
        try await withMosquitto(in: folder) { broker in
            // Bound by the box's umask it has a mode of its own for a moment, and is open when that has been set.
            let trial = try Trial(folder: folder, broker: broker, settings: ["log_level: debug"])
            let box = try trial.launchBox()
            try await box.logged("control socket open")
            let stat = try ChildProcess(["stat", "-c", "%a %F", folder.file("control.sock")])
            #expect(try await stat.output.all() == ["660 socket"])
            #expect(try await box.stop() == 0)
            let result = try await soundbox("status", "--config", trial.configurationFile)
            #expect(result.code == 1)
            #expect(result.errors.first?.contains("no soundbox is running at /") == true)
        }
    }

    @Test("A socket that a killed box left behind is taken over")
    func staleSocket() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker)
            var box = try await trial.startBox()
            box.kill9()
            _ = try await box.exitStatus()
            box = try await trial.startBox()
            #expect(try await soundbox("status", "--config", trial.configurationFile).code == 0)
            #expect(try await box.stop() == 0)
        }
    }
}
