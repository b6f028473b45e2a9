import Foundation
import TestSupport
import Testing

/// Debian's python3-paho-mqtt, which is for Debian's own interpreter.
private let hasPaho = FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/paho/mqtt/client.py")

@Suite(
    "The sender in docs/examples", .timeLimit(.minutes(10)),
    .enabled(if: hasPaho, "python3-paho-mqtt is not installed"))
struct SenderExampleTests {
    private static let key = "0123456789abcdef0123456789abcdef"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func sender(_ port: Int, _ arguments: String...) throws -> ChildProcess {
        try ChildProcess(
            ["/usr/bin/python3", "\(Products.project)/docs/examples/sender.py", "--broker", "127.0.0.1:\(port)"]
                + arguments)
    }

    /// - Returns: what it said of each payment, when it has ended, without how it was heard.
    private func states(_ sender: ChildProcess) async throws -> [String] {
        try await sender.output.all().filter { !$0.hasPrefix("broker:") }.map { line in
            line.split(separator: " ").prefix(2).joined(separator: " ")
        }
    }

    /// How often the broker has got a payment from the sender.
    private func copies(_ log: some Sequence<String>) -> Int {
        log.count { $0.contains("Received PUBLISH from provider-") && $0.contains("/payments'") }
    }

    @Test("Signed payments are announced, and a wrong one fails at once")
    func signed() async throws {
        let file = try folder.write(Self.key, to: "box.key")
        chmod(file, 0o600)
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(
                folder: folder, broker: broker, settings: ["authenticity: {key_file: \"\(file)\"}"])
            let box = try await trial.startBox()
            let good = try sender(broker.port, "--key-file", file, "M1001", "box-01", "A-1=123.45")
            #expect(try await good.exitStatus() == 0)
            #expect(
                try await states(good) == ["A-1 new", "A-1 sent", "A-1 published", "A-1 stored", "A-1 announced"])
            let bad = try sender(broker.port, "--key-file", file, "M1001", "box-01", "A-2=-5")
            #expect(try await bad.exitStatus() == 1 << 8)
            #expect(try await states(bad).last == "A-2 failed")
            #expect(copies(broker.log.entries) == 2)
            #expect(try await box.stop() == 0)
        }
    }

    @Test("A payment that the box has told before ends as a duplicate")
    func knownBefore() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker)
            let box = try await trial.startBox()
            #expect(try await sender(broker.port, "M1001", "box-01", "A-1=1").exitStatus() == 0)
            let again = try sender(broker.port, "M1001", "box-01", "A-1=1")
            #expect(try await again.exitStatus() == 1 << 8)
            #expect(try await states(again).last == "A-1 duplicate")
            #expect(try await box.stop() == 0)
        }
    }

    @Test("A box that is away finds one copy in its queue, however impatient the sender is")
    func away() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker)
            #expect(try await trial.startBox().stop() == 0)
            let sender = try sender(broker.port, "--resend-after", "0.001", "M1001", "box-01", "A-1=1")
            _ = try await sender.output.next { $0.hasPrefix("A-1 published") ? $0 : nil }
            let box = try await trial.startBox()
            #expect(try await sender.exitStatus() == 0)
            // The box connects for the second time.
            let isBack = { (line: String) in line.contains("New client connected") && line.contains("soundbox-M1001") }
            let log = broker.log.entries
            let back = try #require(log.lastIndex(where: isBack))
            #expect(copies(log[..<back]) == 1)
            #expect(try await box.stop() == 0)
        }
    }

    @Test("What the broker acknowledged and lost is published again for the new session, and then reconciled")
    func lostSession() async throws {
        let broker = try await MosquittoBroker.start(in: folder)
        let trial = try Trial(folder: folder, broker: broker)
        #expect(try await trial.startBox().stop() == 0)
        let sender = try sender(
            broker.port, "--session-epoch", "1", "--reconcile", "0.1", "M1001", "box-01", "A-1=1", "A-2=2")
        for id in ["A-1", "A-2"] { _ = try await sender.output.next { $0.hasPrefix("\(id) published") ? $0 : nil } }
        try await broker.kill()
        try await withMosquitto(port: broker.port, in: folder) { _ in
            let box = try await trial.startBox()
            try await box.hasLogged("the loss of the session is over", "reconciled")
            #expect(try await sender.exitStatus() == 0)
            #expect(try await box.stop() == 0)
            for id in ["A-1", "A-2"] {
                #expect(box.errors.entries.count { $0.contains(" announced id=\(id) ") } == 1)
            }
        }
    }

    @Test("A connection that breaks anywhere on the way costs no payment, and none is heard twice")
    func cut() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker)
            let box = try await trial.startBox()
            let proxy = try CuttingProxy(target: broker.port)
            for bytes in stride(from: 20, to: 420, by: 80) {
                let cuts = proxy.cuts
                proxy.cut(afterBytes: bytes)
                let sender = try sender(proxy.port, "M1001", "box-01", "A-\(bytes)=1")
                #expect(try await sender.exitStatus() == 0, "after \(bytes)")
                #expect(proxy.cuts == cuts + 1)
                #expect(box.errors.entries.count { $0.contains(" announced id=A-\(bytes) ") } == 1)
            }
            #expect(try await box.stop() == 0)
        }
    }

    /// Publishes what a box would.
    private func say(_ topic: String, _ message: String, on broker: MosquittoBroker) async throws {
        try await ChildProcess.run(
            "mosquitto_pub", "-p", "\(broker.port)", "-q", "1", "-t", "soundbox/v1/M1001/box-01/\(topic)", "-m", message
        )
    }

    private func receipt(_ state: String, _ others: String = "", on broker: MosquittoBroker) async throws {
        try await say(
            "receipts", #"{"id":"A-1","state":"\#(state)","sequence":1,"epoch":"e"\#(others)}"#, on: broker)
    }

    @Test("What the box's disk has lost is published again")
    func storage() async throws {
        try await withMosquitto(in: folder) { broker in
            let sender = try sender(broker.port, "--resend-after", "0.1", "M1001", "box-01", "A-1=1")
            _ = try await sender.output.next { $0.hasPrefix("A-1 published") ? $0 : nil }
            try await receipt("stored", on: broker)
            _ = try await sender.output.next { $0.hasPrefix("A-1 stored") ? $0 : nil }
            try await receipt("rejected", #","reason":"storage: the disk has lost it""#, on: broker)
            _ = try await sender.output.next { $0.hasPrefix("A-1 published storage:") ? $0 : nil }
            #expect(copies(broker.log.entries) == 1)
            try await say("status", #"{"state":"online","session_epoch":1}"#, on: broker)
            for _ in 1...2 {
                _ = try await broker.log.next { $0.contains("Received PUBLISH from provider-") ? $0 : nil }
            }
            try await receipt("announced", #","how":"aloud""#, on: broker)
            #expect(try await sender.exitStatus() == 0)
        }
    }

    @Test("A new session counts once the box is online in it, also where an earlier status has named it")
    func namedBefore() async throws {
        try await withMosquitto(in: folder) { broker in
            let sender = try sender(
                broker.port, "--resend-after", "100000", "--session-epoch", "1", "M1001", "box-01", "A-1=1")
            _ = try await sender.output.next { $0.hasPrefix("A-1 published") ? $0 : nil }
            for state in ["offline", "online"] {
                try await say("status", #"{"state":"\#(state)","session_epoch":2}"#, on: broker)
            }
            for _ in 1...2 {
                _ = try await broker.log.next { $0.contains("Received PUBLISH from provider-") ? $0 : nil }
            }
            try await receipt("announced", #","how":"aloud""#, on: broker)
            #expect(try await sender.exitStatus() == 0)
        }
    }
}
