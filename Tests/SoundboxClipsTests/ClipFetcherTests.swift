import Glibc
import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxClips

@Suite("Hostile servers", .timeLimit(.minutes(10)))
struct ClipFetcherTests {
    /// What a server on this machine does with each connection, on a thread of its own, until the test ends.
    private final class Server: Sendable {
        let port: Int
        private let listener: Int32

        init(_ serve: @escaping @Sendable (_ connection: Int32, _ request: String) -> Void) throws {
            listener = try LoopbackSocket.listen()
            port = try LoopbackSocket.port(of: listener)
            startThread(named: "test-server") { [listener] in
                while true {
                    let connection = accept(listener, nil, nil)
                    guard connection >= 0 else { return }
                    var buffer = [UInt8](repeating: 0, count: 4096)
                    let count = read(connection, &buffer, buffer.count)
                    serve(connection, String(decoding: buffer.prefix(max(0, count)), as: UTF8.self))
                    close(connection)
                }
            }
        }

        deinit { shutdown(listener, Int32(SHUT_RDWR)) }

        convenience init(answer: String) throws { try self.init { connection, _ in Self.send(answer, on: connection) } }

        @discardableResult
        static func send(_ text: String, on connection: Int32) -> Bool {
            let bytes = Array(text.utf8)
            return Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
        }
    }

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
                allows: { $0 == .v4([127, 0, 0, 1]) || $0.isPublic }, authority: authority,
                lookup: { (host, _) async throws(ClipError) in
                    switch host {
                    case "localhost": [.v4([127, 0, 0, 1])]
                    case "private.example": [.v4([10, 0, 0, 1])]
                    // A public address first, and behind it the one that is meant.
                    case "both.example": [.v4([1, 1, 1, 1]), .v4([169, 254, 169, 254])]
                    default: throw ClipError("unknown")
                    }
                }))
    }

    private func reference(_ port: Int, scheme: String = "http", bytes: Int? = nil) -> ClipReference {
        ClipReference(
            url: "\(scheme)://localhost:\(port)/clip", sha256: String(repeating: "0", count: 64), bytes: bytes)
    }

    private func failure(
        _ server: Server, timeout: Duration = .seconds(30), others: [String] = [], bytes: Int? = nil
    ) async throws -> String {
        let fetcher = try fetcher(server.port, timeout: timeout, others: others)
        do {
            let bytes = try await fetcher.bytes(of: reference(server.port, bytes: bytes))
            return "\(bytes.count) bytes"
        } catch {
            return error.reason
        }
    }

    @Test("An honest one is heard, with or without a length")
    func honest() async throws {
        for head in ["content-length: 4\r\n", "", "transfer-encoding: chunked\r\n"] {
            let body = head.hasPrefix("t") ? "4\r\nRIFF\r\n0\r\n\r\n" : "RIFF"
            let server = try Server(answer: "HTTP/1.1 200 OK\r\n\(head)connection: close\r\n\r\n\(body)")
            let bytes = try await fetcher(server.port).bytes(of: reference(server.port))
            #expect(bytes == Array("RIFF".utf8))
        }
    }

    @Test("A configuration cannot allow this machine: only the public Internet is asked")
    func loopback() async throws {
        let server = try Server(answer: "HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx")
        let settings = ClipSettings(
            hosts: try ["localhost:\(server.port)", "127.0.0.1:\(server.port)"].map { try #require(HostRule($0)) },
            allowsPlainHTTP: true)
        for host in ["localhost", "127.0.0.1"] {
            let reference = ClipReference(
                url: "http://\(host):\(server.port)/", sha256: String(repeating: "0", count: 64))
            let error = await #expect(throws: ClipError.self) { try await ClipFetcher(settings).bytes(of: reference) }
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
        let server = try Server(answer: "HTTP/1.1 302 Found\r\nlocation: \(location)\r\ncontent-length: 0\r\n\r\n")
        let reason = try await failure(server, others: ["private.example", "both.example"])
        #expect(reason.contains(expected), "\(reason)")
    }

    @Test("Too much is not read: announced, chunked or endless")
    func tooMuch() async throws {
        let announced = try Server(answer: "HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\nx")
        #expect(try await failure(announced) == "it is larger than 1000 bytes")
        let endless = try Server { connection, _ in
            guard Server.send("HTTP/1.1 200 OK\r\n\r\n", on: connection) else { return }
            while Server.send(String(repeating: "x", count: 500), on: connection) {}
        }
        #expect(try await failure(endless) == "it is larger than 1000 bytes")
        let more = try Server(answer: "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n12345")
        #expect(try await failure(more, bytes: 4) == "it is larger than 4 bytes")
    }

    @Test("One that answers a byte at a time, or not at all, costs the configured time and no more")
    func slow() async throws {
        let drops = try Server { connection, _ in
            guard Server.send("HTTP/1.1 200 OK\r\n\r\n", on: connection) else { return }
            while Server.send("x", on: connection) { poll(nil, 0, 20) }
        }
        #expect(try await failure(drops, timeout: .milliseconds(400)).contains("did not come within"))
        let silent = try Server { connection, _ in
            var byte: UInt8 = 0
            while read(connection, &byte, 1) > 0 {}
        }
        let reason = try await failure(silent, timeout: .milliseconds(400))
        #expect(reason.contains("did not come within") || reason.contains("deadline"), "\(reason)")
    }

    @Test("One that hangs up, resets, lies about the length or speaks no HTTP is refused")
    func broken() async throws {
        let reset = try Server { connection, _ in
            var option = linger(l_onoff: 1, l_linger: 0)
            setsockopt(connection, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        }
        let servers = [
            reset, try Server(answer: ""), try Server(answer: "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n123"),
            try Server(answer: "220 mail.example\r\n"), try Server(answer: "HTTP/1.1 404 Not Found\r\n\r\n"),
            try Server(answer: "HTTP/1.1 302 Found\r\ncontent-length: 0\r\n\r\n"),
        ]
        for server in servers {
            let reason = try await failure(server)
            #expect(!reason.hasSuffix("0 bytes") && !reason.hasPrefix("3 bytes"), "\(reason)")
        }
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
            let result = await Task { try await fetcher.bytes(of: reference(port, scheme: "https")) }.result
            server.kill9()
            if case .success = result { #expect(isRight) } else { #expect(!isRight, "\(result)") }
        }
        let plain = try Server(answer: "HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx")
        let fetcher = try fetcher(plain.port)
        await #expect(throws: ClipError.self) {
            try await fetcher.bytes(of: reference(plain.port, scheme: "https"))
        }
    }
}
