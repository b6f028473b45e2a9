import SoundboxCore
import SoundboxSystem
import SoundboxTesting
import TestSupport
import Testing

@testable import SoundboxMQTT

@Suite("Faults of a feed that its connection does not show", .timeLimit(.minutes(15)))
struct FeedFaultsTests {
    private let topics: Topics
    private var watch = FeedFaults(clientID: "box")

    init() throws { topics = try Topics(merchant: "M1001", device: "box-01") }

    @Test("Notices at QoS 0 are a fault until a day has passed without one")
    mutating func noticesAtQoS0() {
        #expect(watch.news(at: .zero) == nil)
        watch.noticeCameAtQoS0(at: .seconds(10))
        #expect(watch.news(at: .seconds(10)) == [.noticesAtQoS0])
        watch.noticeCameAtQoS0(at: .seconds(100))
        #expect(watch.news(at: .seconds(86_499)) == nil)
        #expect(watch.news(at: .seconds(86_500)) == [])
        #expect(watch.news(at: .seconds(86_501)) == nil)
    }

    @Test("What the broker has made weak is the broker's fault, until a connection grants QoS 1")
    mutating func granted() {
        watch.subscribed(weak: [.payments, .commands], topics)
        watch.noticeCameAtQoS0(at: .zero)
        let names = [paymentsTopic, commandsTopic]
        #expect(watch.news(at: .zero) == [.grantedQoS0(topics: names)])
        watch.subscribed(weak: [.commands], topics)
        #expect(watch.news(at: .zero) == [.grantedQoS0(topics: [commandsTopic]), .noticesAtQoS0])
        watch.subscribed(weak: [], topics)
        #expect(watch.news(at: .seconds(86_400)) == [])
    }

    @Test("Several faults are told together, each until it is over")
    mutating func together() {
        for _ in 1...3 { watch.endings.ended(.closed(after: .seconds(1), instead: nil)) }
        watch.noticeCameAtQoS0(at: .zero)
        #expect(watch.news(at: .zero) == [.clientIDTaken("box"), .noticesAtQoS0])
        watch.endings.holds(for: .seconds(60))
        #expect(watch.news(at: .zero) == [.noticesAtQoS0])
    }

    @Test("A packet that does not end is told after a minute, and until a connection answers for two")
    mutating func stalls() {
        watch.answers(unanswered: .seconds(59), after: .seconds(80))
        #expect(watch.news(at: .zero) == nil)
        watch.answers(unanswered: .seconds(60), after: .seconds(81))
        #expect(watch.news(at: .zero) == [.brokerStalls])
        // The next connection, where the packet comes again.
        watch.answers(unanswered: .zero, after: .seconds(10))
        watch.answers(unanswered: .seconds(59), after: .seconds(70))
        #expect(watch.news(at: .zero) == nil)
        watch.answers(unanswered: .zero, after: .seconds(120))
        #expect(watch.news(at: .zero) == [])
    }

    @Test("A second connection in a row that goes silent is told; one may be the network")
    mutating func silences() {
        watch.fellSilent()
        watch.answers(unanswered: .zero, after: .seconds(11))
        #expect(watch.news(at: .zero) == nil)
        watch.fellSilent()
        #expect(watch.news(at: .zero) == [.brokerStalls])
        watch.answers(unanswered: .zero, after: .seconds(120))
        #expect(watch.news(at: .zero) == [])
        watch.fellSilent()
        #expect(watch.news(at: .zero) == nil)
    }

    @Test("The marker's problem is told until one comes back, over connections that tell nothing of it")
    mutating func marker() {
        let topics = topics
        var refused = Backlog()
        refused.subscribed(at: .zero)
        watch.saw(refused, topics)
        #expect(watch.news(at: .zero) == nil)
        watch.markerRests(topics)
        watch.saw(Backlog(), topics)
        let answer = "it has ended three connections over it, so the box sends none for a day"
        #expect(watch.news(at: .zero) == [.markerMissing(topic: probeTopic, answer: answer)])
    }

    @Test("A real broker that grants QoS 0 is found by the probe, which sends nothing to it")
    func probe() async throws {
        try await withMosquitto(configuration: ["allow_anonymous true", "max_qos 0"], in: try TemporaryFolder()) {
            broker in
            let probe = MQTTProbe(settings: try boxSettings(port: broker.port))
            let (outcome, _) = try await onOwnThread(named: "probe") { try probe.run(timeout: .seconds(300)) }
            #expect(outcome == .weak(topics: [paymentsTopic, commandsTopic]))
        }
    }

    @Test(
        "The probe compares the name under which its message comes back",
        arguments: [
            ("M1001", "soundbox/v1/M1001/box/probe", MQTTProbe.Outcome.delivered),
            (
                "M.1001", "soundbox/v1/M/1001/box/probe",
                .rewritten(
                    sent: "soundbox/v1/M.1001/box/probe", delivered: "soundbox/v1/M/1001/box/probe", isCertain: false)
            ),
        ])
    func probedNames(merchant: String, delivered: String, expected: MQTTProbe.Outcome) async throws {
        let broker = try FakeBroker { _, sent in
            guard let last = sent.last else { return [] }
            guard let message = last.publication else { return last.agreement }
            return last.agreement + [.publish(message.payload, to: delivered, id: 1)]
        }
        defer { broker.shutDown() }
        let topics = try Topics(merchant: merchant, device: "box")
        let probe = MQTTProbe(settings: try boxSettings(port: broker.port) { $0.topics = topics })
        let outcome = try await onOwnThread(named: "probe") { try probe.run(timeout: .seconds(300)) }
        #expect(outcome.outcome == expected && outcome.speaks5)
    }

    /// What a broker does with a message to the probe topic.
    private static let lossOfProbes: [(answer: String, to: @Sendable (ControlPacket) -> [ControlPacket])] = [
        ("it refuses the subscription", { $0.subscription.map { [.suback($0.id, granted: 0x80)] } ?? [] }),
        ("it grants QoS 0 only", { $0.subscription.map { [.suback($0.id, granted: 0)] } ?? [] }),
        (
            "it refuses the message: a quota is exceeded",
            { packet in
                guard let message = packet.publication else { return packet.agreement }
                var refusal = ControlPacket.puback(message.id)
                refusal.body.append(0x97)
                return [refusal]
            }
        ),
        (
            "it delivers the message with QoS 0, and so not always behind what waited",
            { packet in
                guard let message = packet.publication else { return packet.agreement }
                return [.puback(message.id), .publishAtQoS0(message.payload, to: probeTopic)]
            }
        ),
        (
            "it acknowledges the message and does not deliver it, as where its queue is full",
            { packet in packet.publication.map { [.puback($0.id)] } ?? packet.agreement }
        ),
        ("it does not acknowledge the message", { $0.agreement }),
    ]

    @Test("The probe names what the broker does with the message to the probe topic", arguments: 0..<6)
    func probeAnswers(index: Int) async throws {
        let (answer, reply) = Self.lossOfProbes[index]
        let broker = try FakeBroker { _, sent in
            guard let last = sent.last else { return [] }
            let concernsProbe = last.publication != nil || last.subscription?.topic == probeTopic
            return concernsProbe ? reply(last) : last.agreement
        }
        defer { broker.shutDown() }
        let probe = MQTTProbe(settings: try boxSettings(port: broker.port))
        let outcome = try await onOwnThread(named: "probe") { try probe.run(timeout: .seconds(300)).outcome }
        #expect(outcome == .markerMissing(answer: answer))
    }

    @Test("A broker that ends the connection over the probe topic proves nothing about payments")
    func probeTopicEnds() async throws {
        let broker = try FakeBroker()
        defer { broker.shutDown() }
        let probe = MQTTProbe(settings: try boxSettings(port: broker.port))
        async let tried = onOwnThread(named: "probe") { try probe.run(timeout: .seconds(300)).outcome }
        let (connection, _) = try await broker.connectionWithConnect()
        connection.send(.connack())
        for _ in 0..<2 {
            let subscription = try await connection.packets.next(\.subscription)
            connection.send(.suback(subscription.id, granted: 1))
        }
        _ = try await connection.packets.next(\.subscription)
        connection.hangUp()
        #expect(try await tried == .markerMissing(answer: "it ends the connection instead of an answer"))
    }

    @Test("A broker that grants QoS 0 is told of as a fault with the topic, and the next connection's QoS 1 ends it")
    func overTheWire() async throws {
        let delegate = RecordingDelegate()
        try await withFakeBroker(delegate: delegate) { broker, _ in
            let (weak, _) = try await broker.connectionWithConnect()
            weak.send(.connack())
            for granted: UInt8 in [0, 1, 0x80] {
                let subscription = try await weak.packets.next(\.subscription)
                weak.send(.suback(subscription.id, granted: granted))
            }
            try await delegate.subscribed()
            let fault = FeedFault.grantedQoS0(topics: [paymentsTopic])
            try await delegate.faults.next { $0.contains(fault) ? () : nil }
            weak.hangUp()
            _ = try await broker.session()
            try await delegate.faults.next { $0.contains(fault) ? nil : () }
        }
    }
}
