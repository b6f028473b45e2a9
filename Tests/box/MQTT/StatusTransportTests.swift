import SoundboxCore
import SoundboxMQTT
import SoundboxTesting
import TestSupport
import Testing

@Suite("The broker always knows whether the box is there", .timeLimit(.minutes(10)))
struct StatusTransportTests {
    @Test("The status is retained, and only the newest is kept for a broker that is slow")
    func newestStatus() async throws {
        let delegate = RecordingDelegate()
        try await withFakeBroker(delegate: delegate) { broker, feed in
            let session = try await broker.session()
            feed.publishStatus(Array("1".utf8))
            let first = try await session.packets.next(\.publication)
            #expect(first.topic == statusTopic)
            #expect(first.payload == "1")
            #expect(first.isRetained)
            #expect(first.qos == 1)

            feed.publishStatus(Array("2".utf8))
            feed.publishStatus(Array("3".utf8))
            session.send(.puback(first.id))
            #expect(try await session.packets.next(\.publication).payload == "3")
        }
    }

    @Test("Every new connection begins with the status, because the broker may have published the will")
    func statusAfterReconnect() async throws {
        let delegate = RecordingDelegate()
        try await withFakeBroker(delegate: delegate) { broker, feed in
            feed.publishStatus(Array("online".utf8))
            for _ in 1...2 {
                let (connection, _) = try await broker.connectionWithConnect()
                connection.send(.connack())
                let status = try await connection.packets.next(\.publication)
                #expect(status.payload == "online")
                connection.send(.puback(status.id))
                // The acknowledgement has to be taken notice of, else the library sends the old one again.
                connection.send(.publish("x", to: paymentsTopic, id: 1))
                _ = try await connection.packets.next(\.acknowledgedID)
                connection.hangUp()
            }
        }
    }

    @Test("stop() sends the last receipts, then the offline status, then DISCONNECT")
    func farewell() async throws {
        let delegate = RecordingDelegate()
        let broker = try FakeBroker()
        defer { broker.shutDown() }
        // However slowly this machine answers for the broker.
        let settings = try boxSettings(port: broker.port) { $0.farewellLimit = .seconds(120) }
        try await withFeed(settings, delegate: delegate) { feed in
            let session = try await broker.session()
            try await delegate.subscribed()
            delegate.queueReceipts(["last"])
            feed.receiptsAreWaiting()
            feed.stop()

            let receipt = try await session.packets.next(\.publication)
            #expect(receipt.payload == "last")
            session.send(.puback(receipt.id))
            let status = try await session.packets.next(\.publication)
            #expect(status.topic == statusTopic)
            #expect(status.payload == offlineStatus)
            #expect(status.isRetained)
            session.send(.puback(status.id))
            #expect(try await session.packets.all().last?.kind == .disconnect)
        }
        #expect(delegate.delivered.entries == [[1]])
        #expect(delegate.connections.entries.last == .stopped)
    }

    @Test("stop() gives up on a broker that acknowledges nothing, and leaves the word to the will")
    func farewellWithoutAnswer() async throws {
        let delegate = RecordingDelegate()
        let broker = try FakeBroker()
        defer { broker.shutDown() }
        try await withFeed(boxSettings(port: broker.port), delegate: delegate) { feed in
            let session = try await broker.session()
            try await delegate.subscribed()
            feed.stop()
            let packets = try await session.packets.all()
            #expect(packets.compactMap(\.publication).map(\.payload) == [offlineStatus])
            #expect(packets.allSatisfy { $0.kind != .disconnect })
        }
        #expect(delegate.connections.entries.last == .stopped)
    }

    @Test("Cancelling the task that runs the feed stops it like stop()")
    func cancellation() async throws {
        let delegate = RecordingDelegate()
        let broker = try FakeBroker()
        defer { broker.shutDown() }
        let settings = try boxSettings(port: broker.port)
        let task = Task {
            try await withFeed(settings, delegate: delegate) { _ in
                try await Journal<Void>().next()
            }
        }
        let session = try await broker.session()
        task.cancel()
        let status = try await session.packets.next(\.publication)
        #expect(status.payload == offlineStatus)
        session.send(.puback(status.id))
        await #expect(throws: JournalEnded.self) { try await task.value }
        #expect(delegate.connections.entries.last == .stopped)
    }

    @Test("stop() before the feed runs, and stop() twice, are harmless")
    func earlyStop() async throws {
        let delegate = RecordingDelegate()
        try await withFeed(boxSettings(port: LoopbackSocket.freePort()), delegate: delegate) { feed in
            feed.stop()
            feed.stop()
        }
        #expect(delegate.connections.entries.last == .stopped)
    }
}
