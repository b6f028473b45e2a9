import SoundboxCore
import SoundboxMQTT
import SoundboxSystem
import SoundboxTesting
import TestSupport
import Testing

@Suite("With a real mosquitto", .timeLimit(.minutes(10)))
struct RealBrokerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Publishes payments and returns when the broker has them.
    private func publish(_ payloads: [String], port: Int) async throws {
        let publisher = MQTTPublisher(settings: try boxSettings(port: port))
        try await onOwnThread(named: "publisher") {
            try publisher.publish(payloads.map { Array($0.utf8) }, timeout: .seconds(300))
        }
    }

    @Test("A payment goes in, its receipt comes out, and the broker keeps nothing back")
    func endToEnd() async throws {
        try await withMosquitto(in: folder) { broker in
            let delegate = RecordingDelegate()
            try await withFeed(boxSettings(port: broker.port), delegate: delegate) { feed in
                try await delegate.subscribed()
                delegate.onCommit { batch in
                    delegate.queueReceipts(batch.map { "stored \($0.text)" })
                    feed.receiptsAreWaiting()
                }
                let publisher = MQTTPublisher(settings: try boxSettings(port: broker.port))
                let receipts = Journal<String>()
                try await onOwnThread(named: "publisher") {
                    try publisher.publish([Array("p1".utf8)], timeout: .seconds(300)) { receipt in
                        receipts.append(String(decoding: receipt, as: UTF8.self))
                        return true
                    }
                }
                #expect(receipts.entries == ["stored p1"])
                #expect(delegate.batches.entries.flatMap { $0 }.map(\.text) == ["p1"])
                #expect(try await delegate.delivered.next() == [1])
            }
        }
    }

    @Test("After the broker's restart with nothing remembered, the box is back with its subscriptions")
    func restart() async throws {
        let delegate = RecordingDelegate()
        let first = try await MosquittoBroker.start(in: folder)
        try await withFeed(boxSettings(port: first.port), delegate: delegate) { _ in
            try await delegate.subscribed()
            try await first.stop()
            #expect(
                try await delegate.disconnectionReason() == "connection lost: the broker closed the connection")

            let second = try await MosquittoBroker.start(in: folder, port: first.port)
            try await delegate.subscribed()
            try await publish(["after"], port: second.port)
            #expect(try await delegate.batches.next().map(\.text) == ["after"])
            try await second.stop()
        }
    }

    @Test("What is published while the box is away arrives when it returns, in order, even past a broker restart")
    func persistentSession() async throws {
        let configuration = ["allow_anonymous true"] + MosquittoBroker.persistence(in: folder)
        let first = try await MosquittoBroker.start(in: folder, configuration: configuration)
        let settings = try boxSettings(port: first.port)
        let before = RecordingDelegate()
        try await withFeed(settings, delegate: before) { _ in try await before.subscribed() }

        try await publish(["1", "2", "3"], port: first.port)
        try await first.stop()
        let second = try await MosquittoBroker.start(in: folder, port: first.port, configuration: configuration)

        let after = RecordingDelegate()
        try await withFeed(settings, delegate: after) { _ in
            var received: [String] = []
            while received.count < 3 { received += try await after.batches.next().map(\.text) }
            #expect(received == ["1", "2", "3"])
        }
        try await second.stop()
    }

    @Test(
        "All that waited at the broker comes before the box's marker, and what comes behind it is live",
        arguments: [BrokerProtocol.v5, .v311], [true, false])
    func marker(version: BrokerProtocol, pastRestart: Bool) async throws {
        // More than mosquitto has in flight at a time.
        let waited = (1...300).map { "\($0)" }
        let configuration = ["allow_anonymous true"] + MosquittoBroker.persistence(in: folder)
        var broker = try await MosquittoBroker.start(in: folder, configuration: configuration)
        let settings = try boxSettings(port: broker.port) { $0.protocolChoice = version }
        let before = RecordingDelegate()
        try await withFeed(settings, delegate: before) { _ in
            try await before.subscribed()
            // It has the marker's subscription in its session, too.
            _ = try await broker.log.next { $0.contains("Received PUBLISH") && $0.contains("/probe") ? () : nil }
        }
        try await publish(waited, port: broker.port)
        if pastRestart {
            try await broker.stop()
            broker = try await MosquittoBroker.start(in: folder, port: broker.port, configuration: configuration)
        }

        let after = RecordingDelegate()
        try await withFeed(settings, delegate: after) { _ in
            var received: [FeedMessage] = []
            while received.count < waited.count { received += try await after.batches.next() }
            #expect(received.map(\.text) == waited)
            #expect(received.allSatisfy { !$0.isLive })
            // A message of anybody else's time: whether the marker has come by then is seen by what is live.
            var number = 0
            while received.last?.isLive == false {
                number += 1
                try await publish(["now \(number)"], port: broker.port)
                received += try await after.batches.next()
            }
            #expect(received.filter(\.isLive).count == 1)
        }
        try await broker.stop()
    }

    @Test("Where the access list closes the probe topic, the box stays connected and nothing is live at first")
    func closedProbe() async throws {
        let list = try folder.write("topic readwrite soundbox/v1/+/+/payments\ntopic read #\n", to: "acl")
        try await withMosquitto(
            configuration: ["allow_anonymous true", "acl_file \(list)"], in: folder
        ) { broker in
            let delegate = RecordingDelegate()
            try await withFeed(boxSettings(port: broker.port), delegate: delegate) { _ in
                try await delegate.subscribed()
                try await publish(["p"], port: broker.port)
                #expect(try await delegate.batches.next().map(\.isLive) == [false])
                #expect(delegate.connections.entries == [.connecting, .subscribed])
            }
        }
    }

    @Test("A batch that cannot be stored comes again from the broker, until it can")
    func refusedBatch() async throws {
        try await withMosquitto(in: folder) { broker in
            let delegate = RecordingDelegate { _ in throw RecordingDelegate.CommitRefused() }
            try await withFeed(boxSettings(port: broker.port), delegate: delegate) { _ in
                try await delegate.subscribed()
                try await publish(["p1"], port: broker.port)
                #expect(try await delegate.disconnectionReason().hasSuffix("disk full"))
                delegate.onCommit { _ in }
                let batches = delegate.batches
                #expect(try await batches.next().map(\.text) == ["p1"])
                #expect(try await batches.next().map(\.text) == ["p1"])
            }
        }
    }

    @Test("A wrong password is reported; the right one works")
    func password() async throws {
        let passwords = folder.file("passwords")
        try await ChildProcess.run("mosquitto_passwd", "-b", "-c", passwords, "box-01", "right")
        try await withMosquitto(configuration: ["allow_anonymous false", "password_file \(passwords)"], in: folder) {
            broker in
            for (password, isRight) in [("wrong", false), ("right", true)] {
                let delegate = RecordingDelegate()
                let settings = try boxSettings(port: broker.port) {
                    $0.username = "box-01"
                    $0.password = password
                }
                try await withFeed(settings, delegate: delegate) { _ in
                    if isRight {
                        try await delegate.subscribed()
                    } else {
                        let reason = try await delegate.disconnectionReason()
                        #expect(
                            reason.hasPrefix("mqtt://127.0.0.1:\(broker.port) refuses the connection: not authorised"))
                    }
                }
            }
        }
    }

    @Test("What a sender lets expire comes with what it has left")
    func messageExpiry() async throws {
        try await withMosquitto(in: folder) { broker in
            let delegate = RecordingDelegate()
            try await withFeed(boxSettings(port: broker.port), delegate: delegate) { _ in
                try await delegate.subscribed()
                try await ChildProcess.run(
                    "mosquitto_pub", "-p", "\(broker.port)", "-V", "5", "-q", "1", "-t", paymentsTopic, "-m",
                    "expires", "-D", "publish", "message-expiry-interval", "600")
                try await publish(["lasts"], port: broker.port)
                var messages: [FeedMessage] = []
                while messages.count < 2 { messages += try await delegate.batches.next() }
                #expect(messages.map(\.text) == ["expires", "lasts"])
                let left = try #require(messages[0].expiry)
                #expect(left <= .seconds(600) && left > .seconds(300))
                #expect(messages[1].expiry == nil)
            }
        }
    }

    @Test(
        "A session outlives the connection in MQTT 5, and the change to the other version",
        arguments: [[BrokerProtocol.v5, .v5], [.v5, .v311], [.v311, .v5]])
    func sessionAcrossVersions(versions: [BrokerProtocol]) async throws {
        try await withMosquitto(in: folder) { broker in
            let delegates = versions.map { _ in RecordingDelegate() }
            for (number, version) in versions.enumerated() {
                let settings = try boxSettings(port: broker.port) { $0.protocolChoice = version }
                try await withFeed(settings, delegate: delegates[number]) { _ in
                    try await delegates[number].subscribed()
                    guard number > 0 else { return }
                    #expect(try await delegates[number].batches.next().map(\.text) == ["while away"])
                    #expect(delegates[number].sessions.entries.map(\.isResumed) == [true])
                }
                if number == 0 { try await publish(["while away"], port: broker.port) }
            }
        }
    }

    @Test("In MQTT 5 a publisher is told that the access list closes a topic")
    func closedTopic() async throws {
        let list = try folder.write("topic read #\n", to: "acl")
        try await withMosquitto(configuration: ["allow_anonymous true", "acl_file \(list)"], in: folder) { broker in
            await #expect(throws: MQTTError.publicationRefused(topic: paymentsTopic, BrokerReason(code: 0x87))) {
                try await publish(["x"], port: broker.port)
            }
        }
    }

    @Test("The retained status says online while the box is there and offline when it has gone")
    func retainedStatus() async throws {
        try await withMosquitto(in: folder) { broker in
            let delegate = RecordingDelegate()
            // A client that subscribes to the status later gets what the broker retained.
            func retained() async throws -> String {
                let reader = try ChildProcess([
                    "mosquitto_sub", "-p", "\(broker.port)", "-t", statusTopic, "-C", "1", "-W", "20",
                ])
                return try await reader.output.next()
            }
            try await withFeed(boxSettings(port: broker.port), delegate: delegate) { feed in
                feed.publishStatus(Array("online".utf8))
                // PUBACK to the status; only then is it certain that the broker has it.
                _ = try await broker.log.next { $0.contains("Sending PUBACK to soundbox-M1001-box-01") ? $0 : nil }
                #expect(try await retained() == "online")
            }
            #expect(try await retained() == offlineStatus)
        }
    }
}
