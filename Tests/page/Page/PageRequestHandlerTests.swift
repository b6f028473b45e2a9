import SoundboxControl
import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxPage

@Suite("What a browser is answered", .timeLimit(.minutes(10)))
struct PageRequestHandlerTests {
    private let trial: PageTrial

    init() throws { trial = try PageTrial() }

    private func json(_ response: HTTPResponse) throws -> JSONValue { try JSONValue(parsing: response.body) }

    private func error(_ response: HTTPResponse) -> String? { try? json(response)["error"]?.string }

    /// The body of an answer as it is sent.
    private func pieces(_ response: HTTPResponse) async throws -> [[UInt8]] {
        var pieces = [response.body]
        while let piece = try await response.rest?() { pieces.append(piece) }
        return pieces
    }

    @Test(
        "The page's files are for everybody, and nothing else is",
        arguments: [
            ("/page.css", "text/css; charset=utf-8"), ("/quiet-hours.js", "text/javascript; charset=utf-8"),
            ("/icon.svg", "image/svg+xml"), ("/words/zh-Hans.json", "application/json"),
            ("/", "text/html; charset=utf-8"),
        ])
    func files(path: String, type: String) async throws {
        let others = [
            "sessions.json", ".hidden.js", "page.js~", "page.min.js", "page_2.js", "Page.JS", "soundbox.yaml", "notes",
            "é.js",
            "words/page.js", "words/.de.json", "words/de.json.orig",
        ]
        for name in others { try trial.folder.write("secret", to: name) }
        let handler = try trial.handler()
        let answer = await handler.answer(trial.request("GET", path))
        #expect(answer.status == 200)
        #expect(answer.contentType == type)
        #expect(await handler.answer(trial.request("HEAD", path)) == answer)
        #expect(String(decoding: answer.body, as: UTF8.self) == (path == "/" ? "page.html" : String(path.dropFirst())))
        let strange = [
            "/page.html", "/../sessions.json", "/%2e%2e/sessions.json", "//", "/words", "/words/", "/words/../page.css",
            "/words/%2e%2e/page.css", "//page.css", "/words//zh-Hans.json", "/zh-Hans.json",
        ]
        for path in strange + others.map({ "/\($0)" }) {
            #expect(await handler.answer(trial.request("GET", path)).status == 404, "\(path)")
        }
    }

    @Test("What is refused is words for a person and JSON for the page's script")
    func refusedInWords() async throws {
        let handler = try trial.handler()
        func answer(_ path: String, host: String) async -> (status: Int, type: String, text: String) {
            let answer = await handler.answer(trial.request("GET", path, "", ["host": host]))
            return (answer.status, answer.contentType, String(decoding: answer.body, as: UTF8.self))
        }
        let page = await answer("/", host: "evil.example")
        #expect(page.status == 421 && page.type == "text/html; charset=utf-8")
        // In English, and in the language of the box's voice.
        #expect(page.text.contains("cannot be opened by this name") && page.text.contains("请输入音箱的地址"))
        let missing = await answer("/favicon.ico", host: PageTrial.host)
        #expect(missing.status == 404 && missing.text.contains("There is no such page here."))
        for (path, host) in [("/api/session", "evil.example"), ("/api/nothing", PageTrial.host)] {
            let script = await answer(path, host: host)
            #expect(script.type == "application/json" && script.text.hasPrefix("{"))
        }
    }

    @Test("Every answer forbids what the page does not do itself")
    func headers() async throws {
        let handler = try trial.handler()
        for request in [trial.request("GET", "/"), trial.request("GET", "/api/history"), trial.request("PUT", "/x")] {
            let headers = await handler.answer(request).headers
            let policy = headers.first { $0.name == "Content-Security-Policy" }?.value
            #expect(policy?.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'") == true)
            #expect(headers.contains { $0.name == "X-Content-Type-Options" && $0.value == "nosniff" })
            #expect(headers.contains { $0.name == "Cache-Control" && $0.value == "no-store" })
        }
    }

    @Test("Nobody has anything of the box who is not signed in")
    func strangers() async throws {
        let handler = try trial.handler()
        let (name, token) = (handler.settings.cookie, try trial.sessions.open(as: .change))
        try await trial.run {
            for (method, path) in [
                ("GET", "/api/events"), ("GET", "/api/history"), ("GET", "/api/totals"), ("GET", "/api/export.csv"),
                ("GET", "/api/quiet-hours"), ("PUT", "/api/quiet-hours"), ("PUT", "/api/volume"),
                ("POST", "/api/replay"), ("POST", "/api/trial"), ("GET", "/api/nothing"),
            ] {
                for cookie in [nil, "", "\(name)=", "\(name)=0", "other=1; \(name)=x", "soundbox=\(token)"] {
                    let answer = await handler.answer(trial.request(method, path, cookie: cookie))
                    #expect(answer.status == 401, "\(path)")
                    #expect(error(answer) == "sign_in", "\(path)")
                }
            }
            #expect(trial.trials == 0)
            #expect(trial.volume == 80)
        }
    }

    @Test("Whoever types what the box has said is in, with a cookie that no script and no other site gets")
    func signIn() async throws {
        let handler = try trial.handler()
        try await trial.run {
            #expect(try json(await handler.answer(trial.request("GET", "/api/session")))["signed_in"]?.bool == false)
            let asked = await handler.answer(trial.request("POST", "/api/code"))
            #expect(try json(asked)["expires_in"]?.integer == 120)
            // The answer must not have what only the box says.
            let code = try #require(trial.codes.first)
            #expect(!String(decoding: asked.body, as: UTF8.self).contains(code))
            let answer = await handler.answer(
                trial.request("POST", "/api/session", #"{"code": "\#(code)", "role": "change"}"#))
            let cookie = try #require(answer.headers.first { $0.name == "Set-Cookie" }?.value)
            #expect(cookie.hasSuffix("; Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict"))
            let token = String(cookie.prefix { $0 != ";" })
            let session = try json(await handler.answer(trial.request("GET", "/api/session", cookie: "a=b; \(token)")))
            #expect(session["role"]?.string == "change")
            #expect(await handler.answer(trial.request("GET", "/api/history", cookie: token)).status == 200)
            #expect(await handler.answer(trial.request("DELETE", "/api/session", cookie: token)).status == 200)
            #expect(await handler.answer(trial.request("GET", "/api/history", cookie: token)).status == 401)
        }
    }

    @Test(
        "Two boxes behind one host name do not sign each other out: a browser keeps the cookies of both",
        arguments: ["b2", "箱 2;=,\"", "b "])
    func twoBoxes(device: String) async throws {
        let other = try PageTrial()
        let (one, two) = (try trial.handler(), try other.handler(device: device))
        try await trial.run {
            try await other.run {
                let first = try await trial.signIn(one)
                let second = try await other.signIn(two)
                let names = [first, second].map { $0.prefix { $0 != "=" } }
                #expect(names[0] != names[1])
                #expect(names.allSatisfy { $0.wholeMatch(of: /soundbox[A-Za-z0-9_.-]*/) != nil })
                let jar = "\(first); \(second)"
                #expect(await one.answer(trial.request("GET", "/api/history", cookie: jar)).status == 200)
                #expect(await two.answer(trial.request("DELETE", "/api/session", cookie: jar)).status == 200)
                #expect(await two.answer(trial.request("GET", "/api/history", cookie: jar)).status == 401)
                #expect(await one.answer(trial.request("GET", "/api/history", cookie: jar)).status == 200)
            }
        }
    }

    @Test("With a certificate the cookie goes over HTTPS only")
    func secureCookie() async throws {
        let handler = try trial.handler(certificate: true)
        try await trial.run {
            let origin = ["origin": "https://\(PageTrial.host)"]
            _ = await handler.answer(trial.request("POST", "/api/code", "{}", origin))
            let code = try #require(trial.codes.first)
            let answer = await handler.answer(
                trial.request("POST", "/api/session", #"{"code": "\#(code)", "role": "look"}"#, origin))
            #expect(answer.headers.first { $0.name == "Set-Cookie" }?.value.hasSuffix("; Secure") == true)
        }
    }

    @Test("A second code waits, and three wrong ones use the first one up")
    func limits() async throws {
        let handler = try trial.handler()
        try await trial.run {
            #expect(await handler.answer(trial.request("POST", "/api/code")).status == 200)
            let second = await handler.answer(trial.request("POST", "/api/code"))
            #expect(second.status == 429)
            #expect(error(second) == "wait")
            let rest = try json(second)["retry_in"]?.integer
            #expect((1...20).contains(rest ?? 0))
            let code = try #require(trial.codes.first)
            let wrong = code == "000000" ? "000001" : "000000"
            for left in [2, 1, 0] {
                let answer = await handler.answer(
                    trial.request("POST", "/api/session", #"{"code": "\#(wrong)", "role": "look"}"#))
                #expect(answer.status == 403)
                #expect(try json(answer)["left"]?.integer == left)
            }
            let late = await handler.answer(
                trial.request("POST", "/api/session", #"{"code": "\#(code)", "role": "look"}"#))
            #expect(error(late) == "expired")
            #expect(trial.codes.count == 1)
        }
    }

    @Test("Of fifty guesses at once three count")
    func crowd() async throws {
        let handler = try trial.handler()
        try await trial.run {
            _ = await handler.answer(trial.request("POST", "/api/code"))
            let code = try #require(trial.codes.first)
            let wrong = code == "000000" ? "000001" : "000000"
            let guess = trial.request("POST", "/api/session", #"{"code": "\#(wrong)", "role": "look"}"#)
            let answers = await withTaskGroup(of: HTTPResponse.self) { group in
                for _ in 0..<50 { group.addTask { await handler.answer(guess) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count { error($0) == "wrong" } == 3)
            #expect(answers.count { error($0) == "expired" } == 47)
        }
    }

    @Test(
        "Why the box does not say a code is passed on", arguments: [ControlRefusal.Cause.quiet, .muted, .unspeakable])
    func refusals(cause: ControlRefusal.Cause) async throws {
        let handler = try trial.handler()
        trial.refuse(ControlRefusal(cause, "because"))
        try await trial.run {
            let answer = await handler.answer(trial.request("POST", "/api/code"))
            #expect(answer.status == 409)
            #expect(error(answer) == cause.rawValue)
        }
    }

    @Test("Who looks changes nothing, and where the setup allows no more, everybody looks")
    func roles() async throws {
        try await trial.run {
            let handler = try trial.handler()
            let looking = try await trial.signIn(handler, as: "look")
            #expect(await handler.answer(trial.request("GET", "/api/history", cookie: looking)).status == 200)
            let changes = [
                trial.request("PUT", "/api/volume", #"{"volume": 5}"#, cookie: looking),
                trial.request("POST", "/api/replay", #"{"sequence": 1}"#, cookie: looking),
                trial.request("POST", "/api/trial", cookie: looking),
                trial.request("PUT", "/api/quiet-hours", #"{"off": true}"#, cookie: looking),
            ]
            for change in changes { #expect(error(await handler.answer(change)) == "role") }
            let strict = try trial.handler(role: "look")
            let asked = try await trial.signIn(strict, as: "change")
            #expect(error(await strict.answer(trial.request("POST", "/api/trial", cookie: asked))) == "role")
            #expect(trial.trials == 0)
            #expect(trial.replayed.isEmpty)
            #expect(trial.volume == 80)
        }
    }

    @Test("What is asked for by a phone that may is done by the box")
    func changes() async throws {
        let handler = try trial.handler()
        try await trial.run {
            let cookie = try await trial.signIn(handler)
            let volume = await handler.answer(trial.request("PUT", "/api/volume", #"{"volume": 5}"#, cookie: cookie))
            #expect(try json(volume)["volume"]?.integer == 5)
            #expect(
                await handler.answer(trial.request("POST", "/api/replay", #"{"sequence": 12}"#, cookie: cookie)).status
                    == 200)
            #expect(await handler.answer(trial.request("POST", "/api/trial", cookie: cookie)).status == 200)
            #expect(trial.replayed == [12])
            #expect(trial.trials == 1)
            // Without a number it would be the last one, which nobody has chosen.
            #expect(await handler.answer(trial.request("POST", "/api/replay", cookie: cookie)).status == 400)
            #expect(trial.replayed == [12])
        }
    }

    @Test("What the box does not name for phones, no phone reaches, whatever the box answers others")
    func notForPhones() async throws {
        let handler = try trial.handler()
        try await trial.run {
            let cookie = try await trial.signIn(handler)
            for (method, path) in [
                ("PUT", "page"), ("GET", "page"), ("POST", "sign-in-code"), ("GET", "volume"), ("GET", "metrics"),
                ("GET", "status"), ("POST", "history"), ("PUT", "/page"), ("PUT", "volume/../page"),
            ] {
                let answer = await handler.answer(
                    trial.request(method, "/api/\(path)", #"{"code": "123456", "problem": null}"#, cookie: cookie))
                #expect(answer.status == 404, "\(method) \(path)")
            }
            #expect(trial.codes.count == 1 && trial.volume == 80)
        }
    }

    @Test("Another site that the phone has open changes nothing")
    func otherSites() async throws {
        let handler = try trial.handler()
        try await trial.run {
            let cookie = try await trial.signIn(handler)
            for headers in [
                ["origin": "http://evil.example"], ["origin": ""], ["origin": "null"],
                ["origin": "", "sec-fetch-site": "cross-site"],
            ] {
                let answer = await handler.answer(trial.request("POST", "/api/trial", "{}", cookie: cookie, headers))
                #expect(answer.status == 403)
                #expect(error(answer) == "origin")
            }
            let form = ["content-type": "text/plain"]
            #expect(await handler.answer(trial.request("POST", "/api/trial", "{}", cookie: cookie, form)).status == 415)
            let rebound = ["host": "evil.example", "origin": "http://evil.example"]
            #expect(await handler.answer(trial.request("GET", "/", "", rebound)).status == 421)
            #expect(trial.trials == 0)
        }
    }

    @Test("However many questions come at once, none is cut off by the others")
    func manyQuestions() async throws {
        let handler = try trial.handler()
        let cookie = "\(handler.settings.cookie)=\(try trial.sessions.open(as: .change))"
        try await trial.run {
            let questions = (0..<100).map { number in
                switch number % 4 {
                case 0: trial.request("GET", "/api/history", cookie: cookie)
                case 1: trial.request("GET", "/api/events?after=\(number)", cookie: cookie)
                case 2: trial.request("PUT", "/api/volume", #"{"volume": 5}"#, cookie: cookie)
                default: trial.request("GET", "/api/quiet-hours", cookie: cookie)
                }
            }
            let statuses = await withTaskGroup(of: Int.self) { group in
                for question in questions { group.addTask { await handler.answer(question).status } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == [Int](repeating: 200, count: 100))
        }
    }

    @Test("The export has every page, and no formula")
    func export() async throws {
        let handler = try trial.handler()
        try await trial.run {
            let cookie = try await trial.signIn(handler)
            let answer = await handler.answer(trial.request("GET", "/api/export.csv?day=today", cookie: cookie))
            let lines = String(decoding: Array(try await pieces(answer).joined()), as: UTF8.self)
                .split(separator: "\r\n")
            #expect(answer.status == 200)
            #expect(lines.count == 3)
            #expect(lines[1].hasPrefix(#"2,"'=HYPERLINK(""x"")",payment,1.50,CNY"#))
            #expect(lines[2].hasPrefix(#"1,"<b>,""""#))
            #expect(answer.headers.contains { $0.value == "attachment; filename=\"payments.csv\"" })
        }
    }

    @Test("An export of any size comes whole, and no more than a part of it is in memory")
    func longExport() async throws {
        let handler = try trial.handler()
        trial.setPages(12)
        try await trial.run {
            let cookie = try await trial.signIn(handler)
            let answer = await handler.answer(trial.request("GET", "/api/export.csv", cookie: cookie))
            #expect(answer.status == 200)
            let pieces = try await pieces(answer)
            let text = String(decoding: Array(pieces.joined()), as: UTF8.self)
            #expect(text.utf8.count > 8 << 20 && pieces.allSatisfy { $0.count < 1 << 20 })
            let sequences = text.split(separator: "\r\n").dropFirst().map { $0.prefix { $0 != "," } }
            #expect(sequences.elementsEqual((1...6000).reversed().map { "\($0)"[...] }))
        }
    }

    @Test("A box that is away is told of, and so is one that refuses")
    func away() async throws {
        let handler = try trial.handler()
        let cookie = "\(handler.settings.cookie)=\(try trial.sessions.open(as: .change))"
        let answer = await handler.answer(trial.request("GET", "/api/history", cookie: cookie))
        #expect(answer.status == 503)
        #expect(error(answer) == "box")
        try await trial.run {
            let totals = await handler.answer(trial.request("GET", "/api/totals", cookie: cookie))
            #expect(totals.status == 503)
            let told = try json(totals)
            #expect(told["reason"]?.string == "no day")
            let bad = await handler.answer(trial.request("GET", "/api/history?colour=red", cookie: cookie))
            #expect(bad.status == 400)
        }
    }

    @Test("A day that the box does not know is told apart from a box that does not answer")
    func undated() async throws {
        let handler = try trial.handler()
        try await trial.run {
            let cookie = try await trial.signIn(handler)
            let answer = await handler.answer(trial.request("GET", "/api/totals?day=today", cookie: cookie))
            #expect(
                answer.status == 503 && String(decoding: answer.body, as: UTF8.self).contains(#""error":"undated""#))
        }
    }

    @Test("A change that has waited too long for its turn is not passed on: the phone was told that nothing changed")
    func lateChange() async throws {
        try await trial.run {
            let client = ControlClient(socketPath: trial.socketPath)
            let hurried = BoxLink(client, timeoutForChanges: .zero)
            let body = JSONValue.object([("volume", .integer(7))])
            await #expect(throws: ControlError.self) { try await hurried.exchange("PUT", "volume", body: body) }
            let before = try await hurried.exchange("GET", "volume").json
            #expect(before["volume"] != .integer(7))
            let after = try await BoxLink(client).exchange("PUT", "volume", body: body).json
            #expect(after["volume"] == .integer(7))
        }
    }

    @Test(
        "What no box says of the page is not believed",
        arguments: [
            "{}", #"{"enabled": true, "merchant": "M", "device": "b", "port":0,"role":"look"}"#,
            #"{"enabled":true,"merchant":"M","device":"b","port":70000,"role":"look"}"#,
            #"{"enabled": true, "merchant": "M", "device": "b", "port":80,"role":"all"}"#,
            #"{"enabled": true, "merchant": "M", "device": "b", "port":80,"role":"look","certificate_file":"/c"}"#,
        ])
    func strangeSettings(text: String) throws {
        #expect(PageSettings(decoding: try JSONValue(parsing: Array(text.utf8))) == nil)
    }

    @Test("An address that is none counts as none")
    func strangeAddress() throws {
        let text = #"{"enabled": true, "merchant": "M", "device": "b", "port":80,"role":"look","listen":[300,-1,0,1]}"#
        let settings = try #require(PageSettings(decoding: JSONValue(parsing: Array(text.utf8))))
        #expect(settings.address == nil)
    }
}
