import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Whoever crowds the control socket harms neither the box nor other clients", .timeLimit(.minutes(10)))
struct ControlLimitsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func descriptors(of box: ChildProcess) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(box.id)/fd").count
    }

    private var socket: String { folder.file("control.sock") }

    @Test("A thousand idle connections take a handful of descriptors, and the next client is served")
    func idle() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker, device: "null")
            let box = try await trial.startBox()
            // What is opened when it is needed first is no idle connection's.
            #expect(try await trial.publishAndWait([notice("C-0", "1")]).map(\.state) == ["stored", "announced"])
            let before = try descriptors(of: box)
            // Kept here, up to what this process may have; those before are let go by the box.
            var connections: [UnixConnection] = []
            for _ in 1...1000 {
                // Its queue may be full for a moment.
                connections.append(try await .opened(to: socket))
                if connections.count > 200 { connections.removeFirst(100) }
            }
            let status = try await soundbox("status", "--config", trial.configurationFile)
            #expect(status.code == 0)
            #expect(try descriptors(of: box) < before + 20)
            let receipts = try await trial.publishAndWait([notice("C-1", "1")])
            #expect(receipts.map(\.state) == ["stored", "announced"])
            // Those that the box still has are idle, and go without anybody's coming.
            for connection in connections {
                while !connection.isOver { try await Task.sleep(for: .milliseconds(20)) }
            }
            // The box's own ends are closed a moment after those here have heard of it.
            while try descriptors(of: box) > before { try await Task.sleep(for: .milliseconds(20)) }
            #expect(try await box.stop() == 0)
        }
    }

    @Test("A request that never ends is cut off", arguments: ["PUT /volume HTTP/1.1\r\nHost: x\r\nX: ", bodyOf9])
    func endless(beginning: String) async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker, device: "null")
            let box = try await trial.startBox()
            let connection = try await UnixConnection.opened(to: socket)
            connection.send(beginning)
            while !connection.isOver {
                // One byte now and then is no idle connection.
                connection.send("x")
                try await Task.sleep(for: .milliseconds(500))
            }
            #expect(try await soundbox("status", "--config", trial.configurationFile).code == 0)
            #expect(try await box.stop() == 0)
        }
    }

    private static let bodyOf9 = "PUT /volume HTTP/1.1\r\nHost: x\r\nContent-Length: 999\r\n\r\n{"

    @Test("SIGTERM ends a box whose clients have half asked, in good order")
    func stop() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker, device: "null")
            let box = try await trial.startBox()
            var connections: [UnixConnection] = []
            for _ in 1...5 {
                let connection = try await UnixConnection.opened(to: socket)
                connection.send(Self.bodyOf9)
                connections.append(connection)
            }
            _ = try await soundbox("status", "--config", trial.configurationFile)
            #expect(try await box.stop() == 0)
            // The box cut them off, and did not wait for the time that each of them has.
            #expect(box.errors.entries.last?.contains("stopped") == true)
            withExtendedLifetime(connections) {}
        }
    }
}
