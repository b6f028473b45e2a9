import Foundation
import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

@Suite("Gateways that share a PostgreSQL, with a real broker", .timeLimit(.minutes(10)))
struct SharedDatabaseTests {
    private let folder: TemporaryFolder
    private let url: String

    init() async throws {
        folder = try TemporaryFolder()
        url = try await PostgreSQLServer.shared.value.url(schema: "gateways_\(UInt32.random(in: 0 ... .max))")
    }

    @Test("What one has accepted and cannot publish the other publishes; each knows what became of it")
    func standingIn() async throws {
        try await withMosquitto(in: folder) { broker in
            let lonely = try GatewayTrial(
                folder: try TemporaryFolder(), brokerPort: try LoopbackSocket.freePort(), database: url)
            let other = try GatewayTrial(
                folder: folder, brokerPort: broker.port, clientID: "gateway-2", database: url)
            let gateways = [try await lonely.start(), try await other.start()]
            let box = try SimulatedBox(port: broker.port)
            try await box.run {
                #expect(await lonely.post("A-1") == 200)
                #expect(await other.post("A-1") == 200)
                #expect(await other.post("A-1", "13") == 409)
                try await lonely.await("A-1", "announced")
            }
            #expect(box.arrivals.entries == ["A-1"])
            try await gateways[0].killNow()
            #expect(try await other.payment("A-1")["how"] == .string("aloud"))
            gateways[1].terminate()
            #expect(try await gateways[1].exitStatus() == 0)
        }
    }

    @Test("A file is moved once its gateway has stopped: what waits in it is announced, and what was posted is known")
    func moved() async throws {
        try await withMosquitto(in: folder) { broker in
            let before = try GatewayTrial(folder: folder, brokerPort: try LoopbackSocket.freePort())
            let old = try await before.start()
            #expect(await before.post("A-1") == 200)
            let after = try GatewayTrial(folder: folder, brokerPort: broker.port, database: url)
            let file = folder.file("gateway.sqlite")
            // By another name: what is renamed is the file.
            try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: file)
            let move = [Products.gateway, "move", "--config", folder.file("gateway.yaml"), folder.file("link")]
            let early = try await result(of: move)
            #expect(early.code == 1 && early.errors.first?.contains("another gateway runs with it") == true)
            old.terminate()
            _ = try await old.exitStatus()

            let counts = ["box\t1", "payment\t1", "unread\t0", "callback\t0", "open payments\t1"]
            #expect(try await result(of: move + ["--dry-run"]) == CommandResult(code: 0, output: counts, errors: []))
            #expect(try await result(of: move).output == counts + ["moved; \(file) is now \(file).moved"])
            #expect(try folder.names().filter { $0.hasPrefix("gateway.sqlite") } == ["gateway.sqlite.moved"])

            let box = try SimulatedBox(port: broker.port)
            let gateway = try await after.start()
            try await box.run { try await after.await("A-1", "announced") }
            #expect(await after.post("A-1", "13") == 409)
            try await gateway.killNow()
        }
    }

    @Test("At its start a gateway waits for a database that is not there yet, says so, and takes no payment")
    func away() async throws {
        let nowhere = "postgresql:///soundbox?host=\(folder.path)&user=soundbox"
        let trial = try GatewayTrial(folder: folder, brokerPort: 1, database: nowhere)
        let gateway = try ChildProcess([Products.gateway, "run", "--config", folder.file("gateway.yaml")])
        _ = try await gateway.errors.next { $0.contains("the database is waited for") ? $0 : nil }
        gateway.terminate()
        #expect(try await gateway.exitStatus() != 0)
        #expect(await trial.post("A-1") == nil)
    }
}
