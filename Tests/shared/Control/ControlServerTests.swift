import SoundboxBox
import SoundboxControl
import SoundboxCore
import TestSupport
import Testing

@Suite("The control server answers its client", .timeLimit(.minutes(10)))
struct ControlServerTests {
    private let trial: ControlTrial

    init() throws { trial = try ControlTrial() }

    private func volume(_ level: Int, isMuted: Bool = false) -> JSONValue {
        .object([("volume", .integer(level)), ("muted", .bool(isMuted))])
    }

    @Test("The client reads the status that the box told")
    func status() async throws {
        try await trial.whileOpen {
            let status = try await trial.client.status()
            #expect(status == trial.status)
            #expect(try await trial.client.statusJSON() == trial.status.json)
        }
    }

    @Test("Figures are told as text, and only by a box that is in service")
    func metrics() async throws {
        try await trial.whileOpen {
            let text = try await trial.client.metrics()
            #expect(try Exposition(text)["soundbox_t"] == 0.8)
        }
        try await trial.whileOpen(isInService: false) {
            let error = await #expect(throws: ControlError.self) { _ = try await trial.client.metrics() }
            #expect(error?.reason.hasPrefix("the box is not in service") == true)
        }
    }

    @Test("Each replay reaches the box once")
    func replay() async throws {
        try await trial.whileOpen {
            try await trial.client.replay()
            #expect(trial.replays == 1)
            try await trial.client.replay()
            #expect(trial.replays == 2)
        }
    }

    @Test(
        "A refusal has a status and a cause for programs, and a reason for people",
        arguments: [
            ("invalid", 400), ("unknown", 404), ("untold", 409), ("muted", 409), ("quiet", 409), ("unspeakable", 409),
            ("busy", 429), ("undated", 503), ("fault", 503),
        ])
    func refusal(cause: String, code: Int) async throws {
        try await trial.whileOpen {
            let answer = try await trial.ask("POST", "/refusal", body: #"{"cause": "\#(cause)"}"#)
            #expect(answer.code == code && answer.error == "because" && answer.json["cause"]?.string == cause)
        }
    }

    @Test("What is asked reaches the route, with every sign in its names")
    func asks() async throws {
        try await trial.whileOpen {
            let answer = try await trial.client.history([("channel", "a&b=c %+é微"), ("limit", "3")])
            #expect(answer["limit"]?.string == "3" && answer["channel"]?.string == "a&b=c %+é微")
        }
    }

    @Test("The volume is told, and changed by a number or by a word")
    func changes() async throws {
        try await trial.whileOpen {
            let client = trial.client
            let found = try await client.volume()
            #expect(found == volume(80))
            #expect(try await client.setVolume("45") == volume(45))
            #expect(try await client.setVolume("up") == volume(55))
            #expect(try await client.setVolume("down") == volume(45))
            #expect(try await client.setVolume("mute") == volume(45, isMuted: true))
            #expect(try await client.volume() == volume(45, isMuted: true))
            #expect(try await client.setVolume("unmute") == volume(45))
            #expect(try await client.setVolume("0") == volume(0))
            #expect(try await client.setVolume("100") == volume(100))
            #expect(trial.loudness == Loudness(volume: Volume(100), isMuted: false))
        }
    }

    @Test("A change that is none is refused with what was expected", arguments: ["101", "-1", "loud", ""])
    func wrongChange(change: String) async throws {
        try await trial.whileOpen {
            let error = await #expect(throws: ControlError.self) { _ = try await trial.client.setVolume(change) }
            #expect(error?.reason.hasPrefix("volume: expected a whole number from 0 to 100") == true)
            let kept = try await trial.client.volume()
            #expect(kept == volume(80))
        }
    }

    @Test(
        "A body that is wrong is refused with the reason, changes nothing, and the next one counts",
        arguments: [
            ("", "not valid JSON at byte 0"), ("{\"volume\":", "not valid JSON at byte 10"),
            ("{\"volume\":40}}", "not valid JSON at byte 13"), ("{\"volume\":40,\"volume\":50}", "occurs twice"),
            ("{}", "volume: expected"), ("[]", "volume: expected"), ("40", "volume: expected"),
            ("{\"volume\":null}", "volume: expected"), ("{\"volume\":40.5}", "volume: expected"),
            ("{\"volume\":101}", "volume: expected"), ("{\"volume\":\"40\"}", "volume: expected"),
        ])
    func wrongBody(body: String, reason: String) async throws {
        try await trial.whileOpen {
            let answer = try await trial.ask("PUT", "/volume", body: body)
            #expect(answer.code == 400)
            #expect(answer.error?.contains(reason) == true)
            #expect(trial.loudness == Loudness(volume: Volume(80), isMuted: false))
            #expect(try await trial.ask("PUT", "/volume", body: "{\"volume\":40}").json == volume(40))
        }
    }

    @Test("A body of 4096 bytes is read, and a longer one refused with the limit")
    func longBody() async throws {
        try await trial.whileOpen {
            let body = "{\"volume\":40}"
            let longest = body + String(repeating: " ", count: 4096 - body.utf8.count)
            #expect(try await trial.ask("PUT", "/volume", body: longest).json == volume(40))
            let answer = try await trial.ask("PUT", "/volume", body: longest + " ")
            #expect(answer.code == 413)
            #expect(answer.error == "the body is longer than 4096 bytes")
            #expect(try await trial.client.volume() == volume(40))
        }
    }

    @Test(
        "A route that is not there is refused with those that are",
        arguments: [
            ("GET", "/"), ("GET", "/statuss"), ("GET", "/status/faults"), ("DELETE", "/status"), ("GET", "/replay"),
            ("POST", "/volume"),
        ])
    func unknownRoute(method: String, path: String) async throws {
        try await trial.whileOpen {
            let answer = try await trial.ask(method, path)
            #expect(answer.code == 404)
            #expect(
                answer.error
                    == "\(method) \"\(path)\" is unknown; expected GET /status, POST /replay, GET /volume, "
                    + "PUT /volume, GET /history, GET /metrics, POST /refusal"
            )
            #expect(trial.replays == 0)
            #expect(try await trial.client.status() == trial.status)
        }
    }

    @Test("The answer to HEAD has no body, which a client would take for the next answer")
    func head() async throws {
        try await trial.whileOpen {
            let connection = try await UnixConnection.opened(to: trial.socketPath)
            connection.send("HEAD /status HTTP/1.1\r\nHost: box\r\nConnection: close\r\n\r\n")
            let answer = try await connection.received().all().joined()
            #expect(answer.hasPrefix("HTTP/1.1 404"))
            #expect(answer.hasSuffix("\r\n\r\n"))
        }
    }

    @Test("Who speaks no HTTP is cut off, and the next client served")
    func noHTTP() async throws {
        try await trial.whileOpen {
            let connection = try await UnixConnection.opened(to: trial.socketPath)
            connection.send("volume 40\n\n")
            _ = try await connection.received().all()
            #expect(try await trial.client.volume() == volume(80))
        }
    }

    @Test("A box that is not in service tells its status, and refuses everything else with where to look")
    func notInService() async throws {
        try await trial.whileOpen(isInService: false) {
            #expect(try await trial.client.status() == trial.status)
            for (method, path) in [("POST", "/replay"), ("GET", "/history"), ("PUT", "/volume"), ("GET", "/")] {
                let answer = try await trial.ask(method, path, body: "{\"volume\":40}")
                #expect(answer.code == 503)
                #expect(answer.error == "the box is not in service; see: soundbox status")
            }
            let error = await #expect(throws: ControlError.self) { try await trial.client.replay() }
            #expect(error?.reason == "the box is not in service; see: soundbox status")
        }
    }

    @Test("Where no box runs the client says so, and how to start one")
    func noBox() async throws {
        let error = await #expect(throws: ControlError.self) { _ = try await trial.client.status() }
        #expect(
            error?.reason == "no soundbox is running at \(trial.socketPath); start it with: soundbox run")
    }
}
