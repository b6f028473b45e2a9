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
        "Only a broker that hangs up on the marker three times in a row gets none on the next connection; no receipt is lost",
        arguments: HangUp.allCases)
    func hangsUp(at hangUp: HangUp) async throws {
        delegate.queueReceipts(["1"])
        try await withFakeBroker(delegate: delegate) { broker, feed in
            feed.publishStatus(Array("online".utf8))
            for _ in 1...3 {
                let (connection, _) = try await broker.connectionWithConnect()
                connection.send(.connack(knowsSession: true))
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
            }
            try await delegate.faults.next {
                $0.contains { $0.description.contains("sends none for a day") } ? () : nil
            }

            let (last, _) = try await broker.connectionWithConnect()
            last.send(.connack(knowsSession: true))
            for _ in 1...2 { last.send(.suback(try await last.packets.next(\.subscription).id, granted: 1)) }
            try await delegate.subscribed()
            last.send(.publish("p", to: paymentsTopic, id: 9))
            #expect(try await last.packets.next(\.acknowledgedID) == 9)
            let packets = last.packets.entries
            #expect(packets.compactMap(\.publication).map(\.topic).sorted() == [receiptsTopic, statusTopic])
            #expect(packets.compactMap(\.subscription).map(\.topic) == [paymentsTopic, commandsTopic])
        }
    }

    @Test("A connection that ends instead of an answer to the marker costs the next one nothing: its payments are live")
    func oneLoss() async throws {
        try await withFakeBroker(delegate: delegate) { broker, _ in
            let (lost, _) = try await broker.connectionWithConnect()
            lost.send(.connack())
            for _ in 1...2 { lost.send(.suback(try await lost.packets.next(\.subscription).id, granted: 1)) }
            _ = try await lost.packets.next(\.subscription)
            lost.hangUp()
            let (connection, _) = try await broker.connectionWithConnect()
            connection.send(.connack())
            try await connection.grantSubscriptions(marker: 1)
            let marker = try await connection.packets.next(\.publication)
            connection.send(.puback(marker.id), .publish(marker.payload, to: probeTopic, id: 100))
            for id in UInt16(1)...25 { connection.send(.publish("\(id)", to: paymentsTopic, id: id)) }
            for _ in 0...25 { _ = try await connection.packets.next(\.acknowledgedID) }
            #expect(live(delegate.batches.entries.flatMap { $0 }).count == 25)
        }
    }

    @Test("The marker rests for a day after the third loss in a row, and then after each")
    func rest() {
        var rest = MarkerRest()
        let before = [true, true, false, true, true].map { rest.ended(isLost: $0, at: .zero) }
        #expect(before == Array(repeating: false, count: 5) && rest.isOver(at: .zero))
        let third = rest.ended(isLost: true, at: .zero)
        #expect(third && !rest.isOver(at: .seconds(86_399)) && rest.isOver(at: .seconds(86_400)))
        let next = rest.ended(isLost: true, at: .seconds(86_400))
        #expect(next)
        #expect(!rest.isOver(at: .seconds(100_000)))
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
            defer { backlog.stored(1, at: now) }
            return backlog.isOver(at: now)
        }
        #expect(live == example.live)
    }

    @Test("The time that a commit takes is no pause")
    func commits() {
        var backlog = Backlog()
        backlog.subscribed(at: .zero)
        for seconds in stride(from: 5.0, through: 45, by: 20) {
            let isOver = backlog.isOver(at: .seconds(seconds))
            #expect(!isOver)
            backlog.stored(1, at: .seconds(seconds + 19))
        }
    }

    /// - Parameter each: how many payments come every second, and are stored.
    /// - Returns: the second from which on payments are live; `nil` for none within ten minutes.
    private func end(of backlog: inout Backlog, payments each: Int) -> Int? {
        backlog.subscribed(at: .zero)
        for second in 1...600 {
            if backlog.isOver(at: .seconds(second)) { return second }
            backlog.stored(each, at: .seconds(second))
        }
        return nil
    }

    @Test(
        "What waited ends after a minute at the latest where no more than sixty payments come in one: more are a backlog",
        arguments: [(0, 10), (1, 60), (2, nil), (50, nil)] as [(Int, Int?)])
    func longest(payments: Int, expected: Int?) {
        var backlog = Backlog()
        #expect(end(of: &backlog, payments: payments) == expected)
    }

    @Test("A backlog that has been drained ends with the first minute of a usual shop, though it never pauses")
    func drained() {
        var backlog = Backlog()
        backlog.subscribed(at: .zero)
        for second in 1...90 {
            let isOver = backlog.isOver(at: .seconds(second))
            #expect(!isOver)
            backlog.stored(50, at: .seconds(second))
        }
        var second = 90
        while !backlog.isOver(at: .seconds(second)) {
            second += 1
            backlog.stored(1, at: .seconds(second))
        }
        #expect(second == 180)
    }

    // MARK: What the broker does with the marker

    @Test("What the broker does with the marker is told, until one comes back", arguments: MarkerAnswer.allCases)
    func told(answer: MarkerAnswer) async throws {
        try await withFakeBroker(delegate: delegate) { broker, _ in
            let (connection, _) = try await broker.connectionWithConnect()
            connection.send(.connack())
            try await answer.give(on: connection)
            let fault = FeedFault.markerMissing(topic: probeTopic, answer: answer.rawValue)
            #expect(try await delegate.faults.next() == [fault])
            #expect(!fault.stopsPayments && fault.description.contains(answer.rawValue))
            connection.hangUp()

            let (good, _) = try await broker.connectionWithConnect()
            good.send(.connack())
            try await good.grantSubscriptions(marker: 1)
            let marker = try await good.packets.next(\.publication)
            good.send(.puback(marker.id), .publish(marker.payload, to: probeTopic, id: 1))
            #expect(try await delegate.faults.next() == [])
        }
    }

    enum MarkerAnswer: String, CaseIterable {
        case subscription =
            "it refuses the subscription: not authorised; check the user name, the password and the broker's access list"
        case quality = "it grants QoS 0 only"
        case quota = "it refuses the message: a quota is exceeded"
        case downgrade = "it delivers the message with QoS 0, and so not always behind what waited"
        case loss = "it acknowledges the message and does not deliver it, as where its queue is full"
        case silence = "it does not acknowledge the message"

        func give(on connection: BrokerConnection) async throws {
            switch self {
            case .subscription: return try await connection.grantSubscriptions(marker: 0x87)
            case .quality: return try await connection.grantSubscriptions(marker: 0)
            default: try await connection.grantSubscriptions(marker: 1)
            }
            let marker = try await connection.packets.next(\.publication)
            var answer = ControlPacket.puback(marker.id)
            switch self {
            case .quota: answer.body.append(0x97)
            case .downgrade: connection.send(.publishAtQoS0(marker.payload, to: probeTopic))
            case .silence: return
            default: break
            }
            connection.send(answer)
        }
    }

    @Test("The marker counts at QoS 1 only: at QoS 0 it may have passed what waited")
    func quality() async throws {
        try await withFakeBroker(delegate: delegate) { broker, _ in
            let (connection, _) = try await broker.connectionWithConnect()
            connection.send(.connack())
            try await connection.grantSubscriptions(marker: 1)
            let marker = try await connection.packets.next(\.publication)
            connection.send(
                .publishAtQoS0(marker.payload, to: probeTopic), .publish("p", to: paymentsTopic, id: 1))
            #expect(try await connection.packets.next(\.acknowledgedID) == 1)
            #expect(delegate.batches.entries.flatMap { $0 }.map(\.isLive) == [false])
        }
    }
}
