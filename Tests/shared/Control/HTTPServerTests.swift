import TestSupport
import Testing

@testable import SoundboxControl

@Suite("The server speaks HTTP", .timeLimit(.minutes(10)))
struct HTTPServerTests {
    private let trial: HTTPTrial

    init() throws { trial = try HTTPTrial() }

    @Test(
        "A target is read as it was sent, its query's values decoded",
        arguments: [
            ("/history?from=a%26b%3Dc&limit=3", "/history", [("from", "a&b=c"), ("limit", "3")]),
            ("/a%2fb?x", "/a%2fb", [("x", "")]), ("/?", "/", []), ("?a=1&&a=2", "/", [("a", "1"), ("a", "2")]),
            ("/p?a=%E5%BE%AE&b=%ff&c=%0&d=+#e", "/p", [("a", "微"), ("b", "%ff"), ("c", "%0"), ("d", "+")]),
            ("http://box/status?a=b=c", "/status", [("a", "b=c")]), ("http://box", "/", []), ("*", "*", []),
        ] as [(String, String, [(name: String, value: String)])])
    func target(target: String, path: String, query: [(name: String, value: String)]) {
        let request = HTTPRequest(method: "GET", target: Array(target.utf8))
        #expect(request.path == path)
        #expect(request.query.elementsEqual(query, by: ==), "\(request.query)")
    }

    @Test("A connection is kept for the next request, and requests sent at once are answered in their order")
    func pipeline() async throws {
        try await trial.run { _ in
            let connection = try await trial.connect()
            let answer = connection.received()
            connection.send(
                "PUT /1 HTTP/1.1\r\nHost: box\r\nContent-Length: 3\r\n\r\none" + "GET /2 HTTP/1.1\r\nHost: box\r\n\r\n"
                    + "GET /3 HTTP/1.1\r\nHost: box\r\nConnection: close\r\n\r\n")
            let text = try await answer.all().joined()
            let bodies = text.matches(of: /\r\n\r\n(\w+ \/\d \w*?)(?=HTTP|$)/).map { String($0.1) }
            #expect(bodies == ["PUT /1 one", "GET /2 ", "GET /3 "], "\(text)")
        }
    }

    @Test("An answer in pieces comes whole, the next request behind it; one that breaks off is seen to")
    func pieces() async throws {
        try await trial.run { _ in
            for count in [0, 1, 100] {
                let connection = try await trial.connect()
                let answer = connection.received()
                connection.send(
                    "GET /whole?pieces=\(count) HTTP/1.1\r\nHost: box\r\n\r\n"
                        + "GET /next HTTP/1.1\r\nHost: box\r\nConnection: close\r\n\r\n")
                let text = try await answer.all().joined()
                #expect(text.utf8.count { $0 == UInt8(ascii: "x") } >= count * HTTPTrial.piece.count)
                #expect(text.contains("\r\n0\r\n\r\nHTTP/1.1 200 ") && text.hasSuffix("GET /next "))
            }
            let broken = try await trial.ask("GET /broken?pieces=3 HTTP/1.1")
            #expect(broken.utf8.count > 3 * HTTPTrial.piece.count && !broken.hasSuffix("0\r\n\r\n"))
            #expect(try await trial.serves())
        }
    }

    @Test("Who goes away in the middle of an answer in pieces leaves nothing behind")
    func piecesToNobody() async throws {
        try await trial.run { _ in
            for _ in 1...20 {
                let (connection, answer) = try await trial.send("GET /whole?pieces=1000000 HTTP/1.1")
                _ = try await answer.next()
                connection.hangUp()
            }
            #expect(try await trial.serves())
        }
    }

    @Test("HTTP/1.0 is answered, and the connection closed")
    func http10() async throws {
        try await trial.run { _ in
            let answer = try await trial.send("GET /old HTTP/1.0").answer.all().joined()
            #expect(answer.contains(" 200 ") && answer.hasSuffix("GET /old "))
        }
    }

    @Test("Who says that nothing follows is answered what was asked, and waited for no longer")
    func saidAll() async throws {
        try await trial.run(.init(idleSeconds: 3600, lifetime: .seconds(3600))) { _ in
            for request in ["", "G", "PUT /x HTTP/1.1\r\nHost: box\r\nContent-Length: 9\r\n\r\n{"] {
                let connection = try await trial.connect()
                connection.sendLast(request)
                #expect(try await connection.received().all().isEmpty)
            }
            for count in 1...20 {
                let connection = try await trial.connect()
                connection.sendLast(String(repeating: "GET /x HTTP/1.1\r\nHost: box\r\n\r\n", count: count))
                let answers = try await connection.received().all().joined()
                #expect(answers.matches(of: #/GET /x /#).count == count)
            }
        }
    }

    @Test("Who waits for leave to send the body gets it")
    func expectContinue() async throws {
        try await trial.run { _ in
            let (connection, answer) = try await trial.send(
                "PUT /x HTTP/1.1", "Connection: close\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
            #expect(try await answer.next() == "HTTP/1.1 100 Continue\r\n\r\n")
            connection.send("abc")
            #expect(try await answer.all().joined().hasSuffix("PUT /x abc"))
        }
    }

    @Test("A body in pieces is put together")
    func chunks() async throws {
        try await trial.run { _ in
            let answer = try await trial.ask(
                "PUT /x HTTP/1.1", "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1;x=y\r\nc\r\n0\r\nT: u\r\n\r\n")
            #expect(answer.hasSuffix("PUT /x abc"))
        }
    }

    @Test(
        "A body that is too long is refused before it comes",
        arguments: ["4097", "99999999999", "18446744073709551615", "99999999999999999999999"])
    func tooLong(length: String) async throws {
        try await trial.run { _ in
            let (_, answer) = try await trial.send("PUT /x HTTP/1.1", "Content-Length: \(length)\r\n\r\n")
            let text = try await answer.all().joined()
            #expect(text.hasPrefix("HTTP/1.1 4"))
            #expect(trial.requests.entries.isEmpty)
            #expect(try await trial.serves())
        }
    }

    @Test(
        "Blanks around a header's value are no part of it (RFC 9110, section 5.5)",
        arguments: [("y z \t ", "y z"), ("\t y", "y"), (" \t ", ""), ("", ""), ("é\t", "é"), ("y\u{A0}", "y\u{A0}")])
    func blanks(written: String, value: String) async throws {
        try await trial.run { _ in
            let answer = try await trial.ask("GET /x HTTP/1.1", "X: \(written)\r\n\r\n")
            #expect(answer.contains(" 200 "))
            #expect(trial.requests.entries.map { $0.headers["x"] } == [value])
        }
    }

    @Test("A blank behind what says how long a body is leads nobody to take its end for another one")
    func blankLength() async throws {
        try await trial.run { _ in
            for header in ["Content-Length: 5 ", "Content-Length: 5\t", "Transfer-Encoding: chunked "] {
                let body = header.hasPrefix("C") ? "0\r\n\r\n" : "5\r\n0\r\n\r\n\r\n0\r\n\r\n"
                let text = try await trial.ask("PUT /x HTTP/1.1", "\(header)\r\n\r\n\(body)")
                #expect(
                    text.hasPrefix("HTTP/1.1 400 ") || text.contains(" 200 ") && text.hasSuffix("PUT /x 0\r\n\r\n"),
                    "\(header): \(text)")
            }
        }
    }

    @Test("A body in pieces that is too long is refused, at once when its end is not there yet")
    func tooLongInChunks() async throws {
        try await trial.run { _ in
            let chunk = "1000\r\n" + String(repeating: "x", count: 4096) + "\r\n"
            let head = "Transfer-Encoding: chunked\r\n\r\n"
            let longest = try await trial.ask("PUT /x HTTP/1.1", head + chunk + "0\r\n\r\n")
            #expect(longest.contains(" 200 "))
            let longer = try await trial.ask("PUT /x HTTP/1.1", head + chunk + "1\r\nx\r\n0\r\n\r\n")
            #expect(longer.hasPrefix("HTTP/1.1 413") && longer.hasSuffix("the body is longer than 4096 bytes"))
            #expect(longer.contains("\r\nConnection: close\r\n"))
            let unended = try await trial.send("PUT /x HTTP/1.1", head + chunk + chunk)
            #expect(try await unended.answer.all().joined().hasSuffix("the body is longer than 4096 bytes"))
            // The client sends it all before it reads.
            let deaf = try await trial.connect()
            deaf.send("PUT /x HTTP/1.1\r\nHost: box\r\n\(head)")
            for _ in 1...400 { deaf.send(chunk) }
            deaf.send("0\r\n\r\n")
            #expect(try await deaf.received().all().joined().hasPrefix("HTTP/1.1 413 "))
            #expect(try await trial.serves())
            #expect(!trial.requests.entries.contains { $0.body.count > 4096 })
        }
    }

    @Test("Headers that are too many or too long are refused, and so is a target that is too long")
    func headers() async throws {
        try await trial.run { _ in
            let many = (1...62).map { "X-\($0): y\r\n" }.joined()
            let answers = [
                try await trial.ask("GET /x HTTP/1.1", many + "\r\n"),
                try await trial.ask("GET /x HTTP/1.1", many + "X: y\r\n\r\n"),
                try await trial.ask("GET /x HTTP/1.1", "X: " + String(repeating: "x", count: 8000) + "\r\n\r\n"),
                try await trial.ask("GET /x HTTP/1.1", "X: " + String(repeating: "x", count: 20_000) + "\r\n\r\n"),
                try await trial.ask("GET /" + String(repeating: "x", count: 30_000) + " HTTP/1.1"),
            ]
            #expect(answers.map { $0.prefix(12).suffix(3) } == ["200", "431", "200", "431", "414"])
            #expect(answers[1].hasSuffix("there are more than 64 headers"))
            #expect(try await trial.serves())
        }
    }

    @Test(
        "A request whose length or target can be read in two ways is refused, and nothing behind it is taken for another",
        arguments: [
            "Content-Length: 5\r\nContent-Length: 5", "Content-Length: 5\r\nContent-Length: 6", "Content-Length: 5, 5",
            "Content-Length: 5\r\ncontent-length: 0", "Content-Length: 5\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: chunked\r\nContent-Length: 5", "Content-Length: +5", "Content-Length: -5",
            "Content-Length: 0x5", "Content-Length: 5 5", "Content-Length: 5;", "Content-Length:", "Content-Length: ５",
            "Content-Length: 5\r\n 5", "Content-Length : 5",
            "Transfer-Encoding: identity", "Transfer-Encoding: chunked, chunked",
            "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: chunked, identity", "Transfer-Encoding: xchunked",
            "Transfer-Encoding:", "Transfer-Encoding: \"chunked\"", "Transfer-Encoding: chunked;x",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "Transfer-Encoding : chunked",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "Transfer-Encoding: \u{b}chunked",
            "Host: box", "host: other",
        ], ["GET", "PUT"])
    func ambiguous(headers: String, method: String) async throws {
        try await trial.run { _ in
            let answer = try await trial.send(
                "\(method) /x HTTP/1.1",
                "\(headers)\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: box\r\n\r\n"
            ).answer
            let text = try await answer.all().joined()
            #expect(text.hasPrefix("HTTP/1.1 400 "), "\(text)")
            #expect(trial.requests.entries.isEmpty)
        }
    }

    @Test(
        "So is one without a host, or with another one in its target",
        arguments: [
            "GET /x HTTP/1.1\r\n", "GET http://other/x HTTP/1.1\r\nHost: box\r\n",
            "GET http://box:81/x HTTP/1.1\r\nHost: box\r\n", "GET http://u@box/x HTTP/1.1\r\nHost: box\r\n",
            "GET x HTTP/1.1\r\nHost: box\r\n", "GET http:/x HTTP/1.1\r\nHost: box\r\n",
            "GET /x y HTTP/1.1\r\nHost: box\r\n",
            "GET /x HTTP/1.0\r\nTransfer-Encoding: chunked\r\n",
            "GET /x HTTP/1.1\r\n Host: box\r\n", "GET /x HTTP/1.1\r\nHost : box\r\n",
            "GET /x HTTP/1.1\r\nX: y\r\n Host: box\r\n", "GET /x HTTP/1.1\r\nHost: \r\n box\r\n",
            "GET /x HTTP/1.1\r\nHost: box\r\nOrigin: http://a\r\nOrigin: http://b\r\n",
            "GET /x HTTP/1.1\nHost: box\r\n", "GET /x HTTP/1.1\r\nHost: box\nX: y\r\n",
            "GET /x HTTP/1.1\rHost: box\r\n", "GET /x HTTP/1.1\r\nHost: box\rX: y\r\n",
            "GET /x HTTP/1.1\r\nX: y\rz\r\nHost: box\r\n",
            "GET /x\0/y HTTP/1.1\r\nHost: box\r\n", "GET /x\0HTTP/1.1 HTTP/1.1\r\nHost: box\r\n",
            "GET /x HTTP/1.1\r\nX: y\0z\r\nHost: box\r\n", "GET /x HTTP/1.1\r\nX\0: y\r\nHost: box\r\n",
            "GET /x HTTP/1.1\r\nHost: box\0.other\r\n", "GET /x HTTP/1.1\r\nHost: box\r\nX: y\0z\r\n",
        ])
    func target(of request: String) async throws {
        try await trial.run { _ in
            let connection = try await trial.connect()
            connection.send("\(request)\r\nGET /smuggled HTTP/1.1\r\nHost: box\r\n\r\n")
            let text = try await connection.received().all().joined()
            #expect(text.hasPrefix("HTTP/1.1 400 ") || text.hasPrefix("HTTP/1.0 400 "), "\(text)")
            #expect(trial.requests.entries.isEmpty)
        }
    }

    @Test("A body that is too long leaves nothing that could be taken for another request", arguments: ["GET", "PUT"])
    func nothingBehindTooLong(method: String) async throws {
        try await trial.run { _ in
            let answer = try await trial.send(
                "\(method) /x HTTP/1.1", "Content-Length: 4097\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: box\r\n\r\n"
            ).answer
            let text = try await answer.all().joined()
            #expect(text.hasPrefix("HTTP/1.1 413 ") && trial.requests.entries.isEmpty, "\(text)")
        }
    }

    @Test(
        "What is no HTTP, or no text, harms nobody",
        arguments: [
            "\0\0\0\0\r\n\r\n", "\r\n\r\n\r\n\r\n", "GET\r\n\r\n", "GET /%00/%ff HTTP/1.1\r\n\r\n",
            "GET / HTTP/9.9\r\n\r\n",
            "GET /x HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "GET /x HTTP/1.1\r\nContent-Length: x\r\n\r\n",
            "PUT /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "GET /x HTTP/1.1\r\n: y\r\nno colon\r\n\r\n",
            "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        ].map { Array($0.utf8) } + [[0xff, 0xfe, 0x20, 0x2f, 0xc3, 0x28, 0x20, 0x48, 0x0d, 0x0a, 0x0d, 0x0a]])
    func garbage(bytes: [UInt8]) async throws {
        try await trial.run(.init(idleSeconds: 1)) { _ in
            let connection = try await trial.connect()
            connection.send(bytes)
            let answers = connection.received()
            #expect(try await trial.serves())
            _ = try await answers.all()
        }
    }
}
