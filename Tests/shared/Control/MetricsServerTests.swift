import Glibc
import Logging
import ServiceLifecycle
import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxControl

@Suite("Metrics by TCP, and nothing else", .timeLimit(.minutes(10)))
struct MetricsServerTests {
    private let log = Journal<String>()
    private let port: Int

    init() throws { port = try LoopbackSocket.freePort() }

    private func whileOpen(
        _ address: [UInt8] = [127, 0, 0, 1], _ body: @Sendable () async throws -> Void
    ) async throws {
        let logger = Logger(label: "test") { [log] _ in JournalLogHandler(journal: log) }
        let server = MetricsServer(
            address: ListenAddress(.v4(address), port: port),
            metrics: { [MetricFamily("a_total", .counter, "It counts.", 7)] }, logger: logger)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: server)],
                logger: Logger(label: "services") { _ in SwiftLogNoOpLogHandler() }))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            _ = try await log.next { $0.contains("metrics") ? $0 : nil }
            try await body()
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    /// What it answers until it hangs up; empty when it says nothing.
    private func ask(_ request: String) async throws -> String {
        try await onOwnThread(named: "tcp-client") { [port] in
            let client = try connected(to: port)
            defer { close(client) }
            send(client, request, request.utf8.count, Int32(MSG_NOSIGNAL))
            var text = [UInt8]()
            var bytes = [UInt8](repeating: 0, count: 4096)
            while case let count = read(client, &bytes, bytes.count), count > 0 { text += bytes.prefix(count) }
            return String(decoding: text, as: UTF8.self)
        }
    }

    /// Asks again where the server hangs up without a word: it gives a client that a busy machine stops five seconds.
    private func ask(_ method: String, _ path: String) async throws -> String {
        var answer = ""
        while answer.isEmpty {
            answer = try await ask("\(method) \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        }
        return answer
    }

    private static let text = "# HELP a_total It counts.\n# TYPE a_total counter\na_total 7\n"

    @Test("GET tells them in the format's own content type, and HEAD how long they are")
    func told() async throws {
        try await whileOpen {
            let answer = try await ask("GET", "/metrics?x=y")
            #expect(answer.hasPrefix("HTTP/1.1 200 "))
            #expect(answer.contains("\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"))
            #expect(answer.hasSuffix("\r\n\r\n" + Self.text))
            let head = try await ask("HEAD", "/metrics")
            #expect(head.hasPrefix("HTTP/1.1 200 ") && head.hasSuffix("\r\n\r\n"))
            #expect(head.contains("Content-Length: \(Self.text.utf8.count)\r\n"))
        }
    }

    @Test(
        "Nothing of the control socket can be reached, whatever it is asked",
        arguments: [
            ("GET", "/status"), ("POST", "/replay"), ("GET", "/volume"), ("PUT", "/volume"), ("GET", "/history"),
            ("GET", "/totals"), ("GET", "/"), ("POST", "/metrics"), ("PUT", "/metrics"), ("DELETE", "/metrics"),
            ("OPTIONS", "*"), ("GET", "/metrics/"), ("GET", "//metrics"), ("GET", "/metrics/../status"),
            ("GET", "/%6detrics"), ("get", "/metrics"), ("TRACE", "/metrics"),
        ])
    func foreign(method: String, path: String) async throws {
        try await whileOpen {
            let answer = try await ask(method, path)
            #expect(answer.hasPrefix("HTTP/1.1 404 "), "\(answer)")
            #expect(!answer.contains("a_total"))
        }
    }

    @Test("A body is refused")
    func body() async throws {
        try await whileOpen {
            let answer = try await ask(
                "PUT /volume HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 12\r\n\r\n{\"volume\":1}")
            #expect(answer.hasPrefix("HTTP/1.1 413 "), "\(answer)")
            let chunked = try await ask(
                "PUT /volume HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n")
            #expect(!chunked.contains("200"), "\(chunked)")
        }
    }

    @Test("Two hundred idle connections take four places, and the next client is answered, as on the socket")
    func crowd() async throws {
        let control = try ControlTrial()
        try await control.whileOpen {
            try await whileOpen {
                let crowd = try (1...200).map { _ in try connected(to: port) }
                defer { for client in crowd { close(client) } }
                // Half of a request, and no more.
                for client in crowd { send(client, "GET /metr", 9, Int32(MSG_NOSIGNAL)) }
                #expect(try await ask("GET", "/metrics").hasSuffix(Self.text))
                #expect(try await control.client.status().volume == 80)
                // All but the newest were let go at once, and nobody waits for the rest.
                for client in crowd.prefix(190) {
                    var byte: UInt8 = 0
                    #expect(read(client, &byte, 1) <= 0)
                }
            }
        }
    }

    @Test("However many ask at once, the box is asked once, and again when that is no longer fresh")
    func once() async throws {
        let (count, gate) = (Journal<Int>(), OneTimeSignal())
        let scrapes = Scrapes(freshness: .seconds(3600)) {
            count.append(1)
            await gate.wait()
            return []
        }
        async let first = scrapes.next()
        _ = try await count.next()
        async let second = scrapes.next()
        gate.signal()
        _ = await (first, second, scrapes.next())
        #expect(count.entries.count == 1)
        let stale = Scrapes(freshness: .zero) {
            count.append(2)
            return []
        }
        _ = await (stale.next(), stale.next())
        #expect(count.entries.count == 3)
    }

    @Test("A port that somebody else has is told, and the box goes on")
    func taken() async throws {
        try await whileOpen {
            let second = Journal<String>()
            let logger = Logger(label: "test") { _ in JournalLogHandler(journal: second) }
            let server = MetricsServer(
                address: ListenAddress(.v4([127, 0, 0, 1]), port: port), metrics: { [] }, logger: logger)
            let task = Task { await server.run() }
            let line = try await second.next()
            #expect(line.hasPrefix("no metrics: 127.0.0.1:\(port): "), "\(line)")
            task.cancel()
            await task.value
        }
    }

    @Test("Listening at every address is no silent matter, and an address may come later than the box")
    func addresses() async throws {
        try await whileOpen([0, 0, 0, 0]) {
            let answer = try await ask("GET", "/metrics")
            #expect(answer.hasSuffix(Self.text))
            #expect(log.entries.contains { $0.contains("whoever reaches this machine") })
        }
        // TEST-NET-1: nobody has it.
        let listener = try TCPListener(ListenAddress(.v4([192, 0, 2, 1]), port: port))
        #expect(listener.descriptor != nil)
        listener.close()
        let v6 = try TCPListener(ListenAddress(.v6([UInt8](repeating: 0, count: 15) + [1]), port: port))
        #expect(v6.descriptor != nil)
    }
}

private func connected(to port: Int) throws -> Int32 {
    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard client >= 0, LoopbackSocket.connect(client, to: port) else { throw TestFailure("no connection: \(errno)") }
    return client
}
