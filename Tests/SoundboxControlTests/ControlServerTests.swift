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

    @Test("Why the page is not served is passed on until it is, in one line")
    func pageProblem() async throws {
        try await trial.whileOpen {
            _ = try await trial.ask("PUT", "/page", body: #"{"problem": "/c\u000a: gone"}"#)
            #expect(trial.pageProblem == "/c\\u{a}: gone")
            for body in ["", "{}", #"{"problem": 1}"#, #"{"problem": "\#(String(repeating: "x", count: 1001))"}"#] {
                #expect(try await trial.ask("PUT", "/page", body: body).code == 400)
            }
            #expect(trial.pageProblem != nil)
            #expect(try await trial.ask("PUT", "/page", body: #"{"problem": null}"#).code == 200)
            #expect(trial.pageProblem == nil)
        }
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
            #expect(try Exposition(text)["soundbox_volume_ratio"] == 0.8)
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

    @Test("A notice is repeated by its number; one that cannot be is refused with a cause")
    func replayOfNotice() async throws {
        try await trial.whileOpen {
            #expect(try await trial.ask("POST", "/replay", body: #"{"sequence": 7}"#).code == 200)
            #expect(trial.replayed == [7])
            #expect(trial.replays == 0)
            for (body, code, cause) in [
                (#"{"sequence": 404}"#, 404, "unknown"), (#"{"sequence": 409}"#, 409, "untold"),
                (#"{"sequence": 0}"#, 400, "invalid"), (#"{"sequence": -1}"#, 400, "invalid"),
                (#"{"sequence": "7"}"#, 400, "invalid"), (#"{"sequence": 99999999999999999999}"#, 400, "invalid"),
            ] {
                let answer = try await trial.ask("POST", "/replay", body: body)
                #expect(answer.code == code, "\(body)")
                #expect(answer.json["cause"]?.string == cause, "\(body)")
            }
            #expect(try await trial.ask("POST", "/replay", body: "{").code == 400)
            #expect(trial.replayed == [7])
            #expect(trial.replays == 0)
        }
    }

    @Test("A code of six digits is said, and nothing else; a refusal says why")
    func code() async throws {
        try await trial.whileOpen {
            #expect(try await trial.ask("POST", "/sign-in-code", body: #"{"code": "012345"}"#).code == 200)
            for body in ["", "{}", #"{"code": "12345"}"#, #"{"code": 123456}"#, #"{"code": "12345x"}"#] {
                #expect(try await trial.ask("POST", "/sign-in-code", body: body).code == 400, "\(body)")
            }
            #expect(trial.codes == ["012345"])
            _ = try await trial.client.setVolume("mute")
            let answer = try await trial.ask("POST", "/sign-in-code", body: #"{"code": "012345"}"#)
            #expect(answer.code == 409)
            #expect(answer.json["cause"]?.string == "muted")
            #expect(trial.codes == ["012345"])
        }
    }

    @Test("Quiet hours are told and set, and nonsense changes nothing")
    func quietHours() async throws {
        try await trial.whileOpen {
            let found = try await trial.ask("GET", "/quiet-hours").json
            #expect(found["origin"]?.string == "setup")
            let set = #"{"from": "22:00", "to": "07:30", "volume": 20}"#
            #expect(try await trial.ask("PUT", "/quiet-hours", body: set).code == 200)
            let hours = try await trial.ask("GET", "/quiet-hours").json
            #expect(hours == (try JSONValue(parsing: Array(#"{"quiet_hours": \#(set), "origin": "shop"}"#.utf8))))
            for body in [
                "", "{}", "[]", #"{"off": false}"#, #"{"from": "22:00", "to": "22:00", "volume": 20}"#,
                #"{"from": "24:00", "to": "07:30", "volume": 20}"#, #"{"from": "22:00", "to": "7:30", "volume": 20}"#,
                #"{"from": "22:00", "to": "07:30", "volume": 101}"#,
                #"{"from": "22:00", "to": "07:30", "volume": 20, "off": true}"#,
            ] {
                #expect(try await trial.ask("PUT", "/quiet-hours", body: body).code == 400, "\(body)")
            }
            #expect(try await trial.ask("GET", "/quiet-hours").json == hours)
        }
    }

    @Test("Events, a trial and the page's settings are passed on")
    func others() async throws {
        try await trial.whileOpen {
            let later = try await trial.ask("GET", "/events?after=16").json
            #expect(later["version"]?.integer == 17)
            let first = try await trial.ask("GET", "/events").json
            #expect(first["version"]?.integer == 1)
            for after in ["-1", "x", "99999999999999999999"] {
                #expect(try await trial.ask("GET", "/events?after=\(after)").code == 400)
            }
            #expect(try await trial.ask("POST", "/trial").code == 200)
            #expect(trial.trials == 1)
            let page = try await trial.ask("GET", "/page").json
            #expect(page["port"]?.integer == 80)
        }
    }

    @Test(
        "A box that is not in service says so, whatever it is asked for",
        arguments: ["GET /events", "POST /trial", "GET /quiet-hours", "POST /sign-in-code", "GET /page"])
    func notInService(route: String) async throws {
        let parts = route.split(separator: " ").map(String.init)
        try await trial.whileOpen(isInService: false) {
            let known = try await trial.ask(parts[0], parts[1])
            #expect(known.code == 503)
            let unknown = try await trial.ask("GET", "/nothing")
            #expect(unknown.code == 404)
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
                    + "PUT /volume, GET /history, GET /totals, GET /metrics, GET /events, GET /quiet-hours, "
                    + "PUT /quiet-hours, POST /trial, POST /sign-in-code, GET /page or PUT /page"
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
            for (method, path) in [("POST", "/replay"), ("GET", "/volume"), ("PUT", "/volume")] {
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
