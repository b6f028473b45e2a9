import SoundboxCore
import SoundboxTesting
import TestSupport
import Testing

@testable import SoundboxMQTT

@Suite("Where what waited at the broker ends", .timeLimit(.minutes(10)))
struct BacklogTests {
    private let delegate = RecordingDelegate()

    private func live(_ batch: [FeedMessage]) -> [String] { batch.filter(\.isLive).map(\.text) }

    @Test(
        "What comes behind the marker is live, in the same batch, too; what comes before it, or is retained, is not"
    )
    func marker() async throws {
        try await withFakeBroker(delegate: delegate) { broker, _ in
            let (connection, _) = try await broker.connectionWithConnect()
            connection.send(.connack())
            try await connection.grantSubscriptions(marker: 1)
            let marker = try await connection.packets.next(\.publication)
            #expect(marker.topic == probeTopic && marker.qos == 1 && !marker.isRetained)
            connection.send(
                .puback(marker.id), .publish("before", to: paymentsTopic, id: 1),
                .publish(marker.payload, to: probeTopic, id: 2), .publish("behind", to: paymentsTopic, id: 3),
                .publish("kept", to: paymentsTopic, id: 4, isRetained: true),
                .publish("command", to: commandsTopic, id: 5))
            for id in UInt16(1)...5 { #expect(try await connection.packets.next(\.acknowledgedID) == id) }
            let messages = delegate.batches.entries.flatMap { $0 }
            #expect(messages.map(\.text) == ["before", "behind", "kept", "command"])
            #expect(live(messages) == ["behind", "command"])
        }
    }

    @Test("A marker of an earlier connection, and a trial's message, end nothing and are told to nobody")
    func foreignMarkers() async throws {
        let log = Journal<String>()
        try await withFakeBroker(delegate: delegate, log: log) { broker, _ in
            var old = "trial"
            for _ in 1...2 {
                let (connection, _) = try await broker.connectionWithConnect()
                connection.send(.connack())
                try await connection.grantSubscriptions(marker: 1)
                let marker = try await connection.packets.next(\.publication)
                #expect(marker.payload != old)
                connection.send(
                    .puback(marker.id), .publish(old, to: probeTopic, id: 1), .publish("p", to: paymentsTopic, id: 2))
                #expect(try await connection.packets.next(\.acknowledgedID) == 1)
                #expect(try await connection.packets.next(\.acknowledgedID) == 2)
                old = marker.payload
                connection.hangUp()
                _ = try await delegate.disconnectionReason()
            }
            #expect(delegate.batches.entries.flatMap { $0 }.map(\.isLive) == [false, false])
            #expect(delegate.strays.entries.isEmpty && log.entries.isEmpty)
        }
    }

    enum HangUp: CaseIterable { case subscription, publication, refusal }

    @Test(
        "A broker that hangs up on the marker gets none on the next connection, and loses no receipt",
        arguments: HangUp.allCases)
    func hangsUp(at hangUp: HangUp) async throws {
        let log = Journal<String>()
        delegate.queueReceipts(["1"])
        try await withFakeBroker(delegate: delegate, log: log) { broker, feed in
            feed.publishStatus(Array("online".utf8))
            let (connection, _) = try await broker.connectionWithConnect()
            connection.send(.connack())
            for _ in 1...2 {
                connection.send(.suback(try await connection.packets.next(\.subscription).id, granted: 1))
            }
            let subscription = try await connection.packets.next(\.subscription)
            #expect(subscription.topic == probeTopic)
            if hangUp != .subscription {
                connection.send(.suback(subscription.id, granted: 1))
                let marker = try await connection.packets.next {
                    $0.publication?.topic == probeTopic ? $0.publication : nil
                }
                var refusal = ControlPacket.puback(marker.id)
                refusal.body.append(0x87)
                if hangUp == .refusal { connection.send(refusal) }
            }
            connection.hangUp()
            _ = try await delegate.disconnectionReason()

            let (second, _) = try await broker.connectionWithConnect()
            second.send(.connack(knowsSession: true))
            for _ in 1...2 { second.send(.suback(try await second.packets.next(\.subscription).id, granted: 1)) }
            try await delegate.subscribed()
            second.send(.publish("p", to: paymentsTopic, id: 9))
            #expect(try await second.packets.next(\.acknowledgedID) == 9)
            let packets = second.packets.entries
            #expect(packets.compactMap(\.publication).map(\.topic).sorted() == [receiptsTopic, statusTopic])
            #expect(packets.compactMap(\.subscription).map(\.topic) == [paymentsTopic, commandsTopic])
            #expect(log.entries.count == 1 && log.entries[0].contains(probeTopic), "\(log.entries)")
        }
    }

    /// In seconds since the subscription: when payments come, and which are live.
    struct Pause: Sendable {
        var payments: [Double]
        var live: [Double]
    }

    @Test(
        "Without the marker what waited ends with two seconds without a payment, once ten have passed",
        arguments: [
            Pause(payments: [1, 4, 9.9, 10.1], live: []), Pause(payments: [1, 4, 10], live: [10]),
            Pause(payments: [10], live: [10]),
            Pause(payments: [9, 10.9, 12.8, 14.8, 14.9, 15], live: [14.8, 14.9, 15]),
        ])
    func pause(example: Pause) {
        var backlog = Backlog()
        let isOver = backlog.isOver(at: .seconds(500))
        #expect(!isOver)
        backlog.subscribed(at: .seconds(1000))
        let live = example.payments.filter { seconds in
            let now = Duration.seconds(1000 + seconds)
            defer { backlog.paymentsAreStored(at: now) }
            return backlog.isOver(at: now)
        }
        #expect(live == example.live)
    }

    @Test("The time that a commit takes is no pause")
    func commits() {
        var backlog = Backlog()
        backlog.subscribed(at: .zero)
        for seconds in stride(from: 5.0, through: 65, by: 30) {
            let isOver = backlog.isOver(at: .seconds(seconds))
            #expect(!isOver)
            backlog.paymentsAreStored(at: .seconds(seconds + 29))
        }
    }

    @Test("The marker counts at QoS 1 only: at QoS 0 it may have passed what waited")
    func quality() async throws {
        try await withFakeBroker(delegate: delegate) { broker, _ in
            let (connection, _) = try await broker.connectionWithConnect()
            connection.send(.connack())
            try await connection.grantSubscriptions(marker: 1)
            let marker = try await connection.packets.next(\.publication)
            let topic = UInt16(probeTopic.utf8.count).bigEndianBytes + Array(probeTopic.utf8)
            connection.send(
                ControlPacket(.publish, body: topic + Array(marker.payload.utf8)),
                .publish("p", to: paymentsTopic, id: 1))
            #expect(try await connection.packets.next(\.acknowledgedID) == 1)
            #expect(delegate.batches.entries.flatMap { $0 }.map(\.isLive) == [false])
        }
    }
}
