import SoundboxCore
import SoundboxMQTT
import SoundboxTesting
import TestSupport
import Testing

@Suite("A feed keeps its promises to its delegate: the one over MQTT, and the fake", .timeLimit(.minutes(10)))
struct FeedContractTests {
    enum Kind: CaseIterable { case mqtt, fake }

    /// Runs a feed while `body` plays the sender, then stops it.
    private func withFeed(
        _ kind: Kind, _ body: (any PaymentFeed, any Sender, RecordingDelegate) async throws -> Void
    ) async throws {
        let delegate = RecordingDelegate()
        switch kind {
        case .mqtt:
            try await withFakeBroker(delegate: delegate) { broker, feed in
                try await body(feed, BrokerSender(broker: broker), delegate)
            }
        case .fake:
            let feed = FakeFeed()
            async let run: Void = feed.run(delegate: delegate)
            try await body(feed, FakeSender(feed: feed), delegate)
            feed.stop()
            await run
        }
        #expect(delegate.connections.entries.first == .connecting)
        #expect(delegate.connections.entries.last == .stopped)
    }

    private func expect(
        _ sender: any Sender, _ topic: FeedMessage.Topic, _ payload: [UInt8], _ isAcknowledged: Bool
    ) async throws {
        let answer = try await sender.send(topic, payload)
        #expect(answer == isAcknowledged)
    }

    @Test("What was committed is acknowledged", arguments: Kind.allCases)
    func committed(kind: Kind) async throws {
        try await withFeed(kind) { _, sender, delegate in
            for text in ["1", "2"] { try await expect(sender, .payments, Array(text.utf8), true) }
            try await expect(sender, .commands, Array("3".utf8), true)
            #expect(delegate.batches.entries.flatMap { $0 }.map(\.text) == ["1", "2", "3"])
            #expect(delegate.batches.entries.last?.map(\.topic) == [.commands])
            #expect(delegate.connections.entries.contains(.subscribed))
        }
    }

    @Test("What was not is not, and may come again", arguments: Kind.allCases)
    func refused(kind: Kind) async throws {
        try await withFeed(kind) { _, sender, delegate in
            delegate.onCommit { _ in throw RecordingDelegate.CommitRefused() }
            try await expect(sender, .payments, Array("1".utf8), false)
            delegate.onCommit { _ in }
            try await expect(sender, .payments, Array("1".utf8), true)
        }
    }

    @Test("What is too large is noted instead, and acknowledged once that is done", arguments: Kind.allCases)
    func oversized(kind: Kind) async throws {
        let large = [UInt8](repeating: 0x78, count: PaymentNoticeDecoder.maximumPayloadBytes + 1)
        try await withFeed(kind) { _, sender, delegate in
            delegate.onSkip { throw RecordingDelegate.CommitRefused() }
            try await expect(sender, .payments, large, false)
            delegate.onSkip {}
            try await expect(sender, .payments, large, true)
            #expect(delegate.skipped.entries == [.init(topic: .payments, bytes: large.count)])
            #expect(delegate.batches.entries.isEmpty)
        }
    }

    @Test("Receipts go out in order, and are let go when they have arrived", arguments: Kind.allCases)
    func receipts(kind: Kind) async throws {
        try await withFeed(kind) { feed, sender, delegate in
            let payloads = (1...40).map { "receipt \($0)" }
            delegate.queueReceipts(payloads)
            feed.receiptsAreWaiting()
            let receipts = try await sender.takeReceipts(payloads.count)
            #expect(receipts == payloads)
            var delivered: [Int64] = []
            while delivered.count < payloads.count { delivered += try await delegate.delivered.next() }
            #expect(delivered == (1...40).map { $0 })
        }
    }
}

/// The other end of a feed.
private protocol Sender: Sendable {
    /// Sends one message.
    ///
    /// - Returns: whether it was acknowledged.
    func send(_ topic: FeedMessage.Topic, _ payload: [UInt8]) async throws -> Bool

    /// Takes receipts and confirms each.
    func takeReceipts(_ count: Int) async throws -> [String]
}

private struct FakeSender: Sender {
    let feed: FakeFeed

    func send(_ topic: FeedMessage.Topic, _ payload: [UInt8]) async throws -> Bool {
        do {
            if payload.count > PaymentNoticeDecoder.maximumPayloadBytes {
                try await feed.skip(topic, bytes: payload.count)
            } else {
                try await feed.deliver([FeedMessage(topic: topic, payload: payload)])
            }
            return true
        } catch is RecordingDelegate.CommitRefused {
            return false
        }
    }

    func takeReceipts(_ count: Int) async throws -> [String] {
        try await feed.confirmReceipts().map { String(decoding: $0.payload, as: UTF8.self) }
    }
}

private actor BrokerSender: Sender {
    private let broker: FakeBroker
    private var session: BrokerConnection?
    private var lastID: UInt16 = 0

    init(broker: FakeBroker) { self.broker = broker }

    private func currentSession() async throws -> BrokerConnection {
        if let session { return session }
        let made = try await broker.session()
        session = made
        return made
    }

    func send(_ topic: FeedMessage.Topic, _ payload: [UInt8]) async throws -> Bool {
        let session = try await currentSession()
        lastID += 1
        let name = topic == .payments ? paymentsTopic : commandsTopic
        session.send(.publish(String(decoding: payload, as: UTF8.self), to: name, id: lastID))
        do { return try await session.packets.next(\.acknowledgedID) == lastID } catch is JournalEnded {
            self.session = nil
            return false
        }
    }

    func takeReceipts(_ count: Int) async throws -> [String] {
        let session = try await currentSession()
        var receipts: [String] = []
        while receipts.count < count {
            let receipt = try await session.packets.next(\.publication)
            session.send(.puback(receipt.id))
            receipts.append(receipt.payload)
        }
        return receipts
    }
}
