import Foundation
import SoundboxControl
import SoundboxCore
import TestSupport
import Testing

@Suite("A box is set from afar", .timeLimit(.minutes(10)))
struct RemoteSettingsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let topics = "soundbox/v1/M1001/box-01"

    private func send(_ command: String, to broker: MosquittoBroker) async throws {
        try await ChildProcess.run(
            "mosquitto_pub", "-p", "\(broker.port)", "-q", "1", "-t", "\(Self.topics)/commands", "-m", command)
    }

    private static func settings(_ id: String, at: String, _ values: String) -> String {
        #"{"id":"\#(id)","at":"\#(at)","type":"settings","settings":\#(values)}"#
    }

    @Test(
        "New settings are tried, in force when the box is online, reported, and kept across a kill; bad ones change nothing"
    )
    func applied() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker)
            var box = try await trial.startBox()
            let listener = try ChildProcess([
                "mosquitto_sub", "-p", "\(broker.port)", "-q", "1", "-t", "\(Self.topics)/status", "-t",
                "\(Self.topics)/replies",
            ])
            defer { listener.terminate() }
            func next(_ fits: @escaping @Sendable (JSONValue) -> Bool) async throws -> JSONValue {
                try await listener.output.next { line in
                    (try? JSONValue(parsing: Array(line.utf8))).flatMap { fits($0) ? $0 : nil }
                }
            }
            func isAnswer(_ id: String, _ result: String) -> @Sendable (JSONValue) -> Bool {
                { $0["command"]?.string == id && $0["result"]?.string == result }
            }
            _ = try await next { $0["state"]?.string == "online" }

            let good =
                #"{"audio":{"volume":35},"announce":{"expire_after":"5m","prompts":{"network":false},"#
                + #""quiet_hours":{"from":"22:00","to":"22:01","volume":10}}}"#
            try await send(Self.settings("s-1", at: "2026-01-01T00:00:00Z", good), to: broker)
            _ = try await next(isAnswer("s-1", "ok"))
            let applied = try await next { status in
                status["settings"]?["id"]?.string == "s-1" && status["settings"]?["result"]?.string == "applied"
                    && status["volume"]?.integer == 35
            }
            let announce = applied["configuration"]?["announce"]
            #expect(announce?["expire_after"]?.string == "300s")
            #expect(announce?["quiet_hours"]?["from"]?.string == "22:00")
            #expect(announce?["prompts"]?["network"]?.bool == false)

            for (id, values, field) in [
                ("b-1", #"{"announce":{"expire_after":"soon"}}"#, "settings.announce.expire_after"),
                ("b-2", #"{"voice":{"locale":"xx-XX"}}"#, "settings.voice"),
                ("b-3", #"{"broker":{"url":"mqtt://127.0.0.1:1"}}"#, #"settings: "broker""#),
                ("b-4", #"{"audio":{"volume":101}}"#, "settings.audio.volume"),
                ("b-5", #"{"voice":{"locale":"zh\u0000CN"}}"#, "settings"),
            ] {
                try await send(Self.settings(id, at: "2026-01-01T00:00:01Z", values), to: broker)
                let reply = try await next(isAnswer(id, "refused"))
                #expect(reply["reason"]?.string?.hasPrefix(field) == true, "\(reply.text)")
            }
            try await send(Self.settings("s-0", at: "2025-12-31T00:00:00Z", "{}"), to: broker)
            #expect(try await next(isAnswer("s-0", "refused"))["reason"]?.string?.hasPrefix("at: ") == true)

            box.kill9()
            _ = try await box.exitStatus()
            box = try await trial.startBox()
            let kept = try await next { $0["state"]?.string == "online" && ($0["uptime_s"]?.integer ?? 99) < 5 }
            #expect(kept["settings"]?["id"]?.string == "s-1" && kept["volume"]?.integer == 35)
            #expect(kept["configuration"]?["announce"]?["expire_after"]?.string == "300s")

            try await send(Self.settings("s-2", at: "2026-01-01T00:00:02Z", "{}"), to: broker)
            let back = try await next {
                $0["settings"]?["id"]?.string == "s-2" && $0["settings"]?["result"]?.string == "applied"
            }
            #expect(back["configuration"]?["announce"]?["quiet_hours"] == .null)
            // As soundbox.yaml says: nobody has changed it at the box.
            _ = try await next { $0["volume"]?.integer == 100 && $0["settings"]?["id"]?.string == "s-2" }
            let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(box.id)/fd").map {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(box.id)/fd/\($0)")
            }
            #expect(files.count { $0?.hasSuffix("/inbox.sqlite") == true } == 1, "\(files)")
            // The same process all the time.
            _ = try await trial.publishAndWait([notice("A-1", "1")])
            #expect(try await box.stop() == 0)
        }
    }

    // On a machine with a time server it shows nothing: confirmed times are never doubted.
    @Test("Payments that wait while settings come stay in the totals, although no time server has confirmed the clock")
    func totals() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker, device: "null")
            let box = try await trial.startBox()
            try await trial.publish((1...20).map { notice("T-\($0)", "1") })
            try await send(
                Self.settings("t-1", at: "2026-01-01T00:00:00Z", #"{"announce":{"expire_after":"5m"}}"#), to: broker)
            try await box.logged("settings from afar are in force", "t-1")
            _ = try await trial.publishAndWait([notice("T-21", "1")])
            let client = ControlClient(socketPath: folder.file("control.sock"))
            let totals = try #require(try await client.exchange("GET", "totals").json["part"])
            #expect(totals["time_unknown"]?.integer == 0, "\(totals.text)")
            #expect(totals["currencies"]?.elements?.first?["payments"]?.integer == 21, "\(totals.text)")
            #expect(try await box.stop() == 0)
        }
    }

    @Test("Settings whose voice is gone take their volume along: the shop's own is back, and stays when others come")
    func volumeOfUnusableSettings() async throws {
        let sounds = folder.file("sounds")
        try await ChildProcess.run("cp", "-r", Products.sounds, sounds)
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker, device: "null", sounds: sounds)
            func volume(_ expected: Int) async throws {
                let shown = try await soundbox("volume", "--config", trial.configurationFile)
                #expect(shown.output == ["\(expected)"])
            }
            var box = try await trial.startBox()
            _ = try await soundbox("volume", "80", "--config", trial.configurationFile)
            try await send(
                Self.settings(
                    "s-1", at: "2026-01-01T00:00:00Z", #"{"audio":{"volume":5},"voice":{"locale":"en-US"}}"#),
                to: broker)
            try await box.logged("settings from afar are in force", "s-1")
            try await volume(5)
            #expect(try await box.stop() == 0)

            try await ChildProcess.run("mv", "\(sounds)/en-US", folder.file("away"))
            box = try await trial.startBox()
            try await volume(80)
            #expect(try await box.stop() == 0)
            // What they need is back.
            try await ChildProcess.run("mv", folder.file("away"), "\(sounds)/en-US")
            box = try await trial.startBox()
            try await volume(5)
            #expect(try await box.stop() == 0)
            try await ChildProcess.run("mv", "\(sounds)/en-US", folder.file("away"))
            box = try await trial.startBox()
            try await send(Self.settings("s-2", at: "2026-01-02T00:00:00Z", "{}"), to: broker)
            try await box.logged("settings from afar", "s-2")
            try await volume(80)
            #expect(try await box.stop() == 0)
            box = try await trial.startBox()
            try await volume(80)
            #expect(try await box.stop() == 0)
        }
    }

    @Test("A hundred settings at once hold up neither the payments between them nor the box that is made anew")
    func flood() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker)
            let box = try await trial.startBox()
            let receipts = try trial.collectReceipts(untilAnnounced: 10)
            let locales = [#""zh-CN""#, #""en-US""#, #"["en-US","zh-CN"]"#, #"["zh-CN","en-US","de-DE"]"#]
            let lines = (0..<100).map { number in
                Self.settings(
                    "s-\(number)", at: "2026-01-01T00:\(10 + number / 50):\(10 + number % 50)Z",
                    #"{"voice":{"locale":\#(locales[number % 4])}}"#)
            }
            let file = try folder.write(lines.joined(separator: "\n") + "\n", to: "settings")
            try await trial.publish((1...5).map { notice("F-\($0)", "\($0)") })
            try await ChildProcess.run(
                "sh", "-c", "mosquitto_pub -p \(broker.port) -q 1 -t \(Self.topics)/commands -l <\(file)")
            try await trial.publish((6...10).map { notice("F-\($0)", "\($0)") })
            let announced = try await receipts.all().filter { $0.state == "announced" }.compactMap(\.id)
            #expect(announced == (1...10).map { "F-\($0)" })
            #expect(box.statusAtEnd == nil)
            #expect(try await box.stop() == 0)
            #expect(!box.errors.entries.contains { $0.contains("not everything has come to its end") })
        }
    }
}
