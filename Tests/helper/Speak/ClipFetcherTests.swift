import Glibc
import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxSpeak

@Suite("Hostile servers", .timeLimit(.minutes(10)))
struct ClipFetcherTests {
    /// Loopback is allowed for `localhost` alone, which nothing but a test can say.
    private func fetcher(
        _ port: Int, timeout: Duration = .seconds(30), largest: Int = 1000, authority: String? = nil,
        others: [String] = []
    ) throws -> ClipFetcher {
        let hosts = try (["localhost:\(port)"] + others).map { try #require(HostRule($0)) }
        let settings = ClipSettings(hosts: hosts, allowsPlainHTTP: true, largest: largest, timeout: timeout)
        return ClipFetcher(
            settings,
            trust: ClipFetcher.Trust(
                allows: { [.v4([127, 0, 0, 1]), .v4([127, 0, 0, 2])].contains($0) || $0.isPublic },
                authority: authority,
                lookup: { (host) throws(ClipError) in
                    switch host {
                    case "localhost", "127.0.0.1": [.v4([127, 0, 0, 1])]
                    // Nobody listens at the first one.
                    case "two.example": [.v4([127, 0, 0, 2]), .v4([127, 0, 0, 1])]
                    case "private.example": [.v4([10, 0, 0, 1])]
                    // A public address first, and behind it the one that is meant.
                    case "both.example": [.v4([1, 1, 1, 1]), .v4([169, 254, 169, 254])]
                    default: throw ClipError("unknown")
                    }
                }))
    }

    private func clip(
        _ port: Int, scheme: String = "http", host: String = "localhost"
    ) -> String { "\(scheme)://\(host):\(port)/clip" }

    private func failure(
        _ server: LoopbackServer, timeout: Duration = .seconds(30), others: [String] = []
    ) throws -> String {
        let fetcher = try fetcher(server.port, timeout: timeout, others: others)
        do {
            let bytes = try fetcher.bytes(of: clip(server.port))
            return "\(bytes.count) bytes"
        } catch {
            return error.reason
        }
    }

    @Test("An honest one is heard, with or without a length")
    func honest() async throws {
        for head in ["content-length: 4\r\n", "", "transfer-encoding: chunked\r\n"] {
            let body = head.hasPrefix("t") ? "4\r\nRIFF\r\n0\r\n\r\n" : "RIFF"
            let server = try LoopbackServer(answer: "HTTP/1.1 200 OK\r\n\(head)connection: close\r\n\r\n\(body)")
            let bytes = try fetcher(server.port).bytes(of: clip(server.port))
            #expect(bytes == Array("RIFF".utf8))
        }
    }

    @Test("A configuration cannot allow this machine: only the public Internet is asked")
    func loopback() async throws {
        let server = try LoopbackServer(answer: "HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx")
        let settings = ClipSettings(
            hosts: try ["localhost:\(server.port)", "127.0.0.1:\(server.port)"].map { try #require(HostRule($0)) },
            allowsPlainHTTP: true)
        for host in ["localhost", "127.0.0.1"] {
            let error = #expect(throws: ClipError.self) {
                try ClipFetcher(settings).bytes(of: "http://\(host):\(server.port)/")
            }
            #expect(error?.reason.contains("not on the public Internet") == true)
        }
    }

    @Test(
        "A redirect leads only where a clip may be asked for",
        arguments: [
            ("http://localhost:1/x", "not in clips.hosts"), ("http://private.example/x", "10.0.0.1"),
            ("http://both.example/x", "169.254.169.254"), ("http://127.0.0.1/x", "not in clips.hosts"),
            ("file:///etc/passwd", "expected https://"), ("http://user@private.example/", "no user name"),
            ("x", "expected https://"), ("/again", "redirected more than 3 times"),
        ])
    func redirects(location: String, expected: String) async throws {
        let server = try LoopbackServer(
            answer: "HTTP/1.1 302 Found\r\nlocation: \(location)\r\ncontent-length: 0\r\n\r\n")
        let reason = try failure(server, others: ["private.example", "both.example"])
        #expect(reason.contains(expected), "\(reason)")
    }

    @Test("Too much is not read: announced, chunked or endless")
    func tooMuch() async throws {
        let announced = try LoopbackServer(answer: "HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\nx")
        #expect(try failure(announced) == "it is larger than 1000 bytes")
        let endless = try LoopbackServer { connection, _ in
            guard LoopbackServer.send("HTTP/1.1 200 OK\r\n\r\n", on: connection) else { return }
            while LoopbackServer.send(String(repeating: "x", count: 500), on: connection) {}
        }
        #expect(try failure(endless) == "it is larger than 1000 bytes")
    }

    @Test("One that answers a byte at a time, or not at all, costs the configured time and no more")
    func slow() async throws {
        let drops = try LoopbackServer { connection, _ in
            guard LoopbackServer.send("HTTP/1.1 200 OK\r\n\r\n", on: connection) else { return }
            while LoopbackServer.send("x", on: connection) { poll(nil, 0, 20) }
        }
        #expect(try failure(drops, timeout: .milliseconds(400)).contains("did not come within"))
        let silent = try LoopbackServer { connection, _ in
            var byte: UInt8 = 0
            while read(connection, &byte, 1) > 0 {}
        }
        let reason = try failure(silent, timeout: .milliseconds(400))
        #expect(reason.contains("did not come within") || reason.contains("deadline"), "\(reason)")
    }

    @Test("One that hangs up, resets, lies about the length or speaks no HTTP is refused")
    func broken() async throws {
        let reset = try LoopbackServer { connection, _ in
            var option = linger(l_onoff: 1, l_linger: 0)
            setsockopt(connection, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        }
        let servers = [
            reset, try LoopbackServer(answer: ""),
            try LoopbackServer(answer: "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n123"),
            try LoopbackServer(answer: "220 mail.example\r\n"),
            try LoopbackServer(answer: "HTTP/1.1 404 Not Found\r\n\r\n"),
            try LoopbackServer(answer: "HTTP/1.1 302 Found\r\ncontent-length: 0\r\n\r\n"),
        ]
        for server in servers {
            let reason = try failure(server)
            #expect(!reason.hasSuffix("0 bytes") && !reason.hasPrefix("3 bytes"), "\(reason)")
        }
    }

    @Test("A redirect is taken by its head: its page may be larger than a clip, and need never come")
    func redirectWithPage() async throws {
        let server = try LoopbackServer { connection, request in
            let answer =
                request.hasPrefix("GET /clip ")
                ? "HTTP/1.1 302 Found\r\nlocation: /there\r\ncontent-length: 5000\r\n\r\n<html>"
                : "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nRIFF"
            LoopbackServer.send(answer, on: connection)
        }
        #expect(try failure(server) == "4 bytes")
    }

    @Test("What was cut off is told as such, with what had come; an error is told by its number")
    func cutOff() async throws {
        let short = try LoopbackServer(answer: "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n123")
        let reason = try failure(short)
        #expect(reason.hasPrefix("it was cut off after 3 bytes: "), "\(reason)")
        let missing = try LoopbackServer(answer: "HTTP/1.1 404 Not Found\r\ncontent-length: 99999\r\n\r\n")
        #expect(try failure(missing) == "the answer is 404")
    }

    @Test("Nothing is decompressed, and an encoding that nobody asked for is refused")
    func encodings() async throws {
        let packed = try LoopbackServer(
            answer: "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\nRIFF")
        #expect(try fetcher(packed.port).bytes(of: clip(packed.port)) == Array("RIFF".utf8))
        let transfer = try LoopbackServer(
            answer: "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n4\r\nRIFF\r\n0\r\n\r\n")
        let reason = try failure(transfer)
        #expect(reason.contains("encoding that was not asked for"), "\(reason)")
    }

    @Test("A head without an end is given up, before the body and behind it")
    func endlessHead() async throws {
        for begun in ["HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n"] {
            let server = try LoopbackServer { connection, _ in
                guard LoopbackServer.send(begun, on: connection) else { return }
                while LoopbackServer.send("x-more: \(String(repeating: "y", count: 200))\r\n", on: connection) {}
            }
            let reason = try failure(server)
            #expect(reason.contains("larger than 65536 bytes"), "\(reason)")
        }
    }

    @Test("Where nobody listens at the first address, the next one has its turn; the last one's failure is told")
    func addresses() async throws {
        let server = try LoopbackServer(answer: "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nRIFF")
        let both = try fetcher(server.port, others: ["two.example:\(server.port)"])
        #expect(try both.bytes(of: clip(server.port, host: "two.example")) == Array("RIFF".utf8))
        let port = try LoopbackSocket.freePort()
        let nobody = try fetcher(port)
        let error = #expect(throws: ClipError.self) { try nobody.bytes(of: clip(port)) }
        #expect(error?.reason == "localhost at 127.0.0.1: Connection refused")
    }

    @Test("The server is asked for the clip by its own name, and for nothing else")
    func request() async throws {
        let asked = Journal<String>()
        let server = try LoopbackServer { connection, request in
            asked.append(request)
            LoopbackServer.send("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nRIFF", on: connection)
        }
        _ = try fetcher(server.port).bytes(of: clip(server.port))
        let lines = try await asked.next().split(separator: "\r\n").map(String.init)
        #expect(lines.first == "GET /clip HTTP/1.1")
        #expect(
            Set(lines.dropFirst()) == [
                "Host: localhost:\(server.port)", "Accept: audio/*", "Accept-Encoding: identity",
                "User-Agent: soundbox",
                "Connection: close",
            ])
    }

    @Test("TLS is verified against the name that was asked for, and by a known authority")
    func encrypted() async throws {
        let folder = try TemporaryFolder()
        let certificates = try await TestCertificates(in: folder)
        for (pair, authority, isRight) in [
            (certificates.server, certificates.authority, true), (certificates.server, certificates.stranger, false),
            (certificates.elsewhere, certificates.authority, false),
        ] {
            let port = try LoopbackSocket.freePort()
            let server = try ChildProcess([
                "openssl", "s_server", "-accept", "127.0.0.1:\(port)", "-cert", pair.certificate, "-key", pair.key,
                "-www",
            ])
            while true { if try await server.output.next().hasPrefix("ACCEPT") { break } }
            let fetcher = try fetcher(port, largest: 100_000, authority: authority.certificate)
            let result = Result { try fetcher.bytes(of: clip(port, scheme: "https")) }
            server.kill9()
            if case .success = result { #expect(isRight) } else { #expect(!isRight, "\(result)") }
        }
        // An address has its own place in a certificate.
        let port = try LoopbackSocket.freePort()
        let server = try ChildProcess([
            "openssl", "s_server", "-accept", "127.0.0.1:\(port)", "-cert", certificates.server.certificate, "-key",
            certificates.server.key, "-www",
        ])
        while true { if try await server.output.next().hasPrefix("ACCEPT") { break } }
        let byAddress = try self.fetcher(
            port, largest: 100_000, authority: certificates.authority.certificate, others: ["127.0.0.1:\(port)"])
        let bytes = try byAddress.bytes(of: clip(port, scheme: "https", host: "127.0.0.1"))
        #expect(!bytes.isEmpty)
        server.kill9()
        let plain = try LoopbackServer(answer: "HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx")
        let fetcher = try fetcher(plain.port)
        #expect(throws: ClipError.self) {
            try fetcher.bytes(of: clip(plain.port, scheme: "https"))
        }
    }
}
