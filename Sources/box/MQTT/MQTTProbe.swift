import CMosquitto
import CTLSClient
import SoundboxCore
import SoundboxSystem

/// Tests a box's connection from end to end, for `soundbox setup` and `soundbox doctor`.
///
///     let probe = MQTTProbe(settings: settings)
///     let (outcome, speaks5) = try probe.run(timeout: .seconds(10))
///
/// It uses a client id of its own and a session that ends with the connection. So it neither evicts the running box nor
/// takes a payment from it.
public struct MQTTProbe: Sendable {
    /// How much the broker allowed.
    public enum Outcome: Sendable, Equatable {
        /// Subscribed, and a message to the box's probe topic came back.
        case delivered
        /// As ``delivered``, but under another name: the broker rewrites topics. `isCertain` says that the name cannot
        /// be another box's.
        case rewritten(sent: String, delivered: String, isCertain: Bool)
        /// Subscribed. The message to the probe topic does not come back, which proves nothing about payments. `answer`
        /// is what the broker does with it, as in ``FeedFault/markerMissing(topic:answer:)``.
        case markerMissing(answer: String)
        /// Subscribed, but the broker delivers these topics only at QoS 0. Nothing was sent: such a broker may refuse a
        /// message at QoS 1.
        case weak(topics: [String])
    }

    /// How long the message may take to come back.
    private static let echoLimit = Duration.seconds(3)

    /// The version of libmosquitto that is loaded.
    public static var libraryVersion: String {
        var (major, minor, revision): (Int32, Int32, Int32) = (0, 0, 0)
        mosquitto_lib_version(&major, &minor, &revision)
        return "\(major).\(minor).\(revision)"
    }

    private let settings: MQTTSettings

    /// - Parameter settings: how to reach the broker, and the topics of the box. The client id is not used.
    public init(settings: MQTTSettings) { self.settings = settings }

    /// Connects, subscribes to the box's topics, and sends itself a message on the box's probe topic. Never on the
    /// payments topic, where every message is money. Blocks: do not call it on Swift's shared pool.
    ///
    /// - Parameter timeout: until the subscriptions are confirmed. The name lookup before that is bounded only by the
    ///   system's resolver.
    /// - Returns: the outcome, and whether the broker speaks MQTT 5 and so respects the box's message size limit.
    public func run(timeout: Duration) throws(MQTTError) -> (outcome: Outcome, speaks5: Bool) {
        let end = Duration.monotonicNow + timeout
        let name = String(UInt64.random(in: .min ... .max), radix: 36)
        let session = try Session(settings, clientID: ClientID.visitor("probe"), keepsSession: false, will: nil)
        try session.connect()
        try session.awaitAcceptance(until: end)

        var weak: [String] = []
        for topic in Subscriptions.topics {
            if try session.subscribe(to: topic, until: end) == 0 { weak.append(settings.topics[topic]) }
        }
        guard weak.isEmpty else {
            session.disconnect()
            try session.write()
            return (.weak(topics: weak), session.version == .v5)
        }
        var outcome: Outcome
        do throws(MQTTError) {
            outcome =
                try session.subscribe(to: .probe, until: end) == 0
                ? .markerMissing(answer: Backlog.grantsQoS0)
                : try echo(name, session, until: .monotonicNow + Self.echoLimit)
        } catch .subscriptionRefused(_, let reason) {
            outcome = .markerMissing(answer: Backlog.refusesSubscription(reason))
        } catch .connectionLost {
            // Some brokers refuse a topic by ending the connection.
            return (.markerMissing(answer: "it ends the connection instead of an answer"), session.version == .v5)
        }
        session.disconnect()
        try session.write()
        return (outcome, session.version == .v5)
    }

    /// - Parameter name: the topic under which the message came back.
    private func outcome(_ name: String) -> Outcome {
        switch settings.topics.match(name) {
        case .own: .delivered
        case .rewritten(_, let isCertain):
            .rewritten(sent: settings.topics[.probe], delivered: name, isCertain: isCertain)
        case .foreign: .rewritten(sent: settings.topics[.probe], delivered: name, isCertain: false)
        }
    }

    /// Connects under the box's own client id, for brokers that accept its user under no other, and disconnects without
    /// DISCONNECT. The session stays as it is: nothing is subscribed to, and what the broker sends is not acknowledged.
    /// Only for a box that does not run: the broker ends the connection of another client with this id. Blocks: do not
    /// call it on Swift's shared pool.
    ///
    /// - Parameter timeout: until the broker has answered, as in ``run(timeout:)``.
    public func signInAsBox(timeout: Duration) throws(MQTTError) {
        let end = Duration.monotonicNow + timeout
        if try signIn(keepsSession: true, until: end) { return }
        // There was no session. The empty one that was made now would look like the box's, and the box would not notice
        // that its own is lost.
        _ = try signIn(keepsSession: false, until: end)
    }

    /// - Returns: whether the broker had a session.
    private func signIn(keepsSession: Bool, until end: Duration) throws(MQTTError) -> Bool {
        let session = try Session(settings, clientID: settings.clientID, keepsSession: keepsSession, will: nil)
        try session.connect()
        defer { session.drop() }
        while true {
            do throws(MQTTError) { return try answer(to: session, until: end).knowsSession } catch {
                try session.goBack(after: error)
            }
        }
    }

    /// Nothing is written after the answer: payments may have come with it, and must not be acknowledged.
    private func answer(to session: Session, until end: Duration) throws(MQTTError) -> SessionEvents.Answer {
        while true {
            let rest = end - .monotonicNow
            guard rest > .zero else { throw .timedOut(waitingFor: .acceptance(by: session.broker)) }
            let outcome = Result { () throws(MQTTError) in try session.read(waitingAtMost: min(rest, .seconds(1))) }
            if let answer = session.takeEvents().answer {
                if let refusal = answer.refusal { throw .refused(broker: session.broker, refusal) }
                return answer
            }
            try outcome.get()
            try session.write()
        }
    }

    private func echo(_ text: String, _ session: Session, until end: Duration) throws(MQTTError) -> Outcome {
        let id = try session.publish(Array(text.utf8), to: .probe)
        try session.write()
        var isAcknowledged = false
        while true {
            do {
                let events = try session.turn(until: end, waitingFor: .probe)
                isAcknowledged = isAcknowledged || events.acknowledged.contains(id)
                if let refusal = events.refused.first { return .markerMissing(answer: Backlog.refuses(refusal)) }
                if let message = events.messages.first(where: { $0.payload == Array(text.utf8) }) {
                    return message.qos > 0 ? outcome(message.topic) : .markerMissing(answer: Backlog.deliversAtQoS0)
                }
            } catch .timedOut {
                return .markerMissing(answer: isAcknowledged ? Backlog.doesNotDeliver : Backlog.doesNotAcknowledge)
            }
        }
    }
}

/// What the certificate of a connection's peer says. Nothing of it is verified.
public struct OfferedCertificate: Sendable, Equatable {
    /// Seconds since 1970.
    public var notBefore: Int
    public var notAfter: Int
    /// Host names and addresses that it was issued for.
    public var names: [String]

    /// Reads the certificate and ends the handshake: the connection is of no further use. Blocks for at most `limit`;
    /// call it on a thread of ``startThread(named:isUrgent:_:)``.
    ///
    /// - Parameters:
    ///   - socket: connected and non-blocking. It stays open.
    ///   - host: the server name to ask for, unless it is an address.
    /// - Returns: `nil` when no certificate is offered within the limit.
    public init?(on socket: Int32, host: String, within limit: Duration) {
        var certificate = soundbox_offered_certificate()
        var names: [String] = []
        let isRead = withUnsafeMutablePointer(to: &names) { names in
            soundbox_look_at_certificate(
                socket, host, limit.pollMilliseconds, &certificate,
                { names, name, size in
                    let bytes = UnsafeRawBufferPointer(start: name, count: size)
                    names?.assumingMemoryBound(to: [String].self).pointee.append(String(decoding: bytes, as: UTF8.self))
                }, names)
        }
        guard isRead else { return nil }
        notBefore = Int(certificate.not_before)
        notAfter = Int(certificate.not_after)
        self.names = names
    }
}

/// For a short-lived connection without a feed. Everything here blocks.
extension Session {
    /// Waits until the broker accepts the connection that ``connect(openingLimit:)`` has begun. If it does not speak
    /// MQTT 5, the same address is asked for 3.1.1.
    ///
    /// - Parameter end: when to give up, on the clock of `Duration.monotonicNow`.
    func awaitAcceptance(until end: Duration) throws(MQTTError) {
        while true {
            do throws(MQTTError) {
                while try turn(until: end, waitingFor: .acceptance(by: broker)).answer == nil {}
                return
            } catch { try goBack(after: error) }
        }
    }

    /// Subscribes to a topic.
    ///
    /// - Returns: the granted QoS, 0 to 2.
    func subscribe(to topic: Topic, until end: Duration) throws(MQTTError) -> UInt8 {
        let id = try subscribe(to: topic)
        try write()
        while true {
            let events = try turn(until: end, waitingFor: .subscription)
            guard let answer = events.subscriptions.first(where: { $0.id == id }) else { continue }
            guard answer.grantedQoS <= 2 else { throw .subscriptionRefused(topic: topics[topic], answer.reason) }
            return answer.grantedQoS
        }
    }

    /// Runs a short-lived connection for one round: waits at most a second for something to arrive, and sends what is
    /// queued. Blocks.
    ///
    /// - Parameters:
    ///   - end: when to give up, on the clock of `Duration.monotonicNow`.
    ///   - answer: the awaited answer.
    /// - Throws: ``MQTTError/timedOut(waitingFor:)`` after `end`; ``MQTTError/refused(broker:_:)`` when the broker
    ///   refuses the connection.
    func turn(until end: Duration, waitingFor answer: MQTTError.Answer) throws(MQTTError) -> SessionEvents {
        let rest = end - .monotonicNow
        guard rest > .zero else { throw .timedOut(waitingFor: answer) }
        let outcome = Result { () throws(MQTTError) in try read(waitingAtMost: min(rest, .seconds(1))) }
        let events = takeEvents()
        if let refusal = events.answer?.refusal { throw .refused(broker: broker, refusal) }
        try outcome.get()
        try ping()
        try write()
        return events
    }
}
