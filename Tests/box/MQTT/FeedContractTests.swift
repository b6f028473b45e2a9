import SoundboxCore
import SoundboxMQTT
import SoundboxTesting
import TestSupport
import Testing

@Suite("A feed keeps its contract", .timeLimit(.minutes(10)))
struct FeedContractTests {
    @Test("The fake one", arguments: PaymentFeedContract.clauses)
    func fake(clause: PaymentFeedContract) async throws { try await clause.check(FakeFeedPeer()) }

    @Test("The one over MQTT, with a real mosquitto", arguments: PaymentFeedContract.clauses)
    func mqtt(clause: PaymentFeedContract) async throws {
        let folder = try TemporaryFolder()
        try await withMosquitto(in: folder) { broker in
            try await clause.check(try await MosquittoPeer(broker, in: folder))
        }
    }
}

/// A feed over MQTT and a real mosquitto, seen through the clients of Debian and the broker's log.
private actor MosquittoPeer: PaymentFeedPeer {
    nonisolated let feed: any PaymentFeed
    nonisolated let offlineStatus = Array("offline".utf8)
    private let settings: MQTTSettings
    private let broker: MosquittoBroker
    private let folder: TemporaryFolder
    private let receipts: ChildProcess
    private let statuses: ChildProcess
    private var clients = 0
    /// Acknowledgements of the box's that the log has shown, and those that were waited for.
    private var seen = 0
    private var taken = 0
    /// The packet id of a marker that the box has not acknowledged: `m7, ` in the log.
    private var marker: Substring?

    init(_ broker: MosquittoBroker, in folder: TemporaryFolder) async throws {
        self.broker = broker
        self.folder = folder
        // A machine that is busy for long ends no connection.
        settings = try boxSettings(port: broker.port) {
            $0.handshakeLimit = .seconds(300)
            $0.keepAlive = .seconds(300)
        }
        feed = try MQTTFeed(settings: settings, offlineStatus: offlineStatus) { _ in }
        receipts = try await Self.listen(to: receiptsTopic, broker)
        statuses = try await Self.listen(to: statusTopic, broker)
    }

    private static func listen(to topic: String, _ broker: MosquittoBroker) async throws -> ChildProcess {
        let child = try ChildProcess(["mosquitto_sub", "-p", "\(broker.port)", "-q", "1", "-t", topic])
        _ = try await broker.log.next { $0.contains("Sending SUBACK") ? $0 : nil }
        return child
    }

    deinit {
        receipts.terminate()
        statuses.terminate()
    }

    func send(_ messages: [FeedMessage]) async throws {
        for message in messages {
            try folder.write(message.payload, to: "message")
            try await publish(
                to: message.topic == .payments ? paymentsTopic : commandsTopic,
                ["-f", folder.file("message")] + (message.isRetained ? ["-r"] : []))
        }
    }

    func sendUnacknowledged(_ messages: [FeedMessage]) async throws {
        for message in messages {
            try folder.write(message.payload, to: "message")
            clients += 1
            let id = "sender-\(clients)."
            let child = try ChildProcess(
                [
                    "mosquitto_pub", "-p", "\(broker.port)", "-q", "0", "-i", id, "-f", folder.file("message"), "-t",
                    message.topic == .payments ? paymentsTopic : commandsTopic,
                ])
            try await readLog { $0.contains("Received PUBLISH from \(id)") }
            _ = try await child.exitStatus()
        }
    }

    /// It does so by itself, when the feed is back.
    func redeliver() {}

    func acknowledgementCount() async throws -> Int {
        // The broker has one thread: it reads what the feed had sent before it answers somebody who comes after that.
        try await publish(to: "elsewhere", ["-m", "x"])
        return seen
    }

    func nextAcknowledgement() async throws {
        taken += 1
        while seen < taken { try await readLog { _ in true } }
    }

    func nextReceipt() async throws -> [UInt8] { Array(try await receipts.output.next().utf8) }

    func nextStatus() async throws -> [UInt8] { Array(try await statuses.output.next().utf8) }

    /// Publishes, and reads the broker's log up to its answer.
    private func publish(to topic: String, _ arguments: [String]) async throws {
        clients += 1
        let id = "sender-\(clients)."
        let child = try ChildProcess(
            ["mosquitto_pub", "-p", "\(broker.port)", "-q", "1", "-i", id, "-t", topic] + arguments)
        try await readLog { $0.contains("Sending PUBACK to \(id)") }
        _ = try await child.exitStatus()
    }

    private func readLog(until isWanted: (String) -> Bool) async throws {
        var line = ""
        repeat {
            line = try await broker.log.next()
            if isAcknowledgement(line) { seen += 1 }
        } while !isWanted(line)
    }

    private func isAcknowledgement(_ line: String) -> Bool {
        if line.contains("Sending PUBLISH to \(settings.clientID)"), line.contains("'\(probeTopic)'") {
            marker = line.split(separator: " ").first { $0.first == "m" && $0.last == "," }?.dropFirst().dropLast()
        }
        guard line.contains("Received PUBACK from \(settings.clientID)") else { return false }
        guard let marker, line.contains("(Mid: \(marker), ") else { return true }
        self.marker = nil
        return false
    }
}
