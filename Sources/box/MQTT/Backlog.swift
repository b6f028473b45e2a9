import SoundboxCore

/// Finds where the messages end that waited at the broker. One for each connection.
///
/// Once the box is subscribed, it sends itself a message, the marker, on its probe topic. A broker delivers it after
/// all that waited, so what follows it is live. If it does not come, because of the access list or because the broker's
/// queue is full, the backlog ends with a pause in the payments, and with the first minute that has only as many
/// payments as a shop takes in.
struct Backlog {
    /// How long to wait for the marker.
    static let timeout = Duration.seconds(10)
    /// The pause that ends the backlog after that. Longer than a round trip through a mobile network.
    static let pause = Duration.seconds(2)
    /// A broker delivers more than ``most`` payments in this time where as many waited.
    static let span = Duration.seconds(60)
    static let most = 60

    /// Random, so that neither a marker of an earlier connection nor another client's message is taken for it.
    private let marker = Array(String(UInt64.random(in: .min ... .max), radix: 36).utf8)
    private(set) var isRequested = false
    private var subscription: Int32?
    /// The marker would come back, and has not been sent.
    private var isMarkerDue = false
    private var publication: Int?
    /// What the broker does with the marker instead of delivering it at QoS 1. Continues "it …".
    private(set) var problem: String?
    private(set) var isMarkerBack = false
    private var subscribedAt: Duration?
    /// When the last payments had been stored: the next ones wait for their acknowledgement.
    private var lastPayments: Duration?
    /// When the current span began, and the payments that were stored in it.
    private var span = (began: Duration.zero, payments: 0)
    private var isOver = false

    /// Whether the broker has not yet answered the marker's subscription or publication.
    var isMarkerUnanswered: Bool { subscription != nil || publication != nil }

    /// Whether the marker was sent for, and neither came back nor will.
    var isMarkerLost: Bool { isRequested && !isMarkerBack && (isMarkerUnanswered || problem != nil) }

    mutating func subscribed(at now: Duration) {
        subscribedAt = now
        span = (now, 0)
    }

    /// Notes payments that were stored. A refused or repeated notice is none: anybody can send them without end.
    mutating func stored(_ payments: Int, at now: Duration) {
        guard payments > 0 else { return }
        lastPayments = now
        span.payments += payments
    }

    /// Whether what arrives now is live.
    mutating func isOver(at now: Duration) -> Bool {
        guard !isOver, let subscribedAt else { return isOver }
        if now - subscribedAt >= Self.timeout, now - (lastPayments ?? subscribedAt) >= Self.pause { isOver = true }
        if now - span.began >= Self.span {
            if span.payments <= Self.most { isOver = true }
            span = (now, 0)
        }
        if isOver, isRequested, problem == nil {
            problem =
                subscription != nil
                ? "it does not answer the subscription"
                : publication != nil ? Self.doesNotAcknowledge : Self.doesNotDeliver
        }
        return isOver
    }

    /// Looks for the marker.
    ///
    /// - Returns: whether this is it.
    mutating func endsWith(_ message: SessionEvents.Message) -> Bool {
        guard message.payload == marker else { return false }
        // A message at QoS 0 may have overtaken what waited at QoS 1.
        guard message.qos > 0 else {
            problem = Self.deliversAtQoS0
            return false
        }
        isOver = true
        isMarkerBack = true
        return true
    }

    /// Subscribes to the marker's topic. Separately, since a broker may end a connection because of it.
    mutating func requestMarker(from session: Session) throws(MQTTError) {
        isRequested = true
        subscription = try session.subscribe(to: .probe)
    }

    /// Takes the broker's answers.
    mutating func confirm(_ events: SessionEvents) {
        if let answer = events.subscriptions.first(where: { $0.id == subscription }) {
            subscription = nil
            switch answer.grantedQoS {
            case 0: problem = Self.grantsQoS0
            case 1, 2: isMarkerDue = true
            default: problem = Self.refusesSubscription(answer.reason)
            }
        }
        guard let publication, events.acknowledged.contains(publication) else { return }
        self.publication = nil
        guard let refusal = events.refused.first(where: { $0.id == publication }) else { return }
        problem = Self.refuses(refusal)
    }

    /// Drops the marker, so that it is not sent again.
    func withdrawMarker(from session: Session) {
        if let publication { session.withdraw(publication) }
    }

    mutating func sendMarkerIfDue(with session: Session) throws(MQTTError) {
        guard isMarkerDue else { return }
        isMarkerDue = false
        publication = try session.publish(marker, to: .probe)
    }
}

/// What a broker does with the marker, or with a trial's message, instead of delivering it at QoS 1.
extension Backlog {
    static let grantsQoS0 = "it grants QoS 0 only"
    static let deliversAtQoS0 = "it delivers the message with QoS 0, and so not always behind what waited"
    static let doesNotAcknowledge = "it does not acknowledge the message"
    static let doesNotDeliver = "it acknowledges the message and does not deliver it, as where its queue is full"

    static func refusesSubscription(_ reason: BrokerReason?) -> String {
        "it refuses the subscription" + (reason.map { ": \($0)" } ?? "")
    }

    static func refuses(_ message: SessionEvents.Refused) -> String {
        "it refuses the message" + (message.reason.map { ": \($0)" } ?? ", which is larger than it takes")
    }
}

/// Whether a connection sends the marker. Pure.
///
/// Some brokers end the connection of a client that subscribes or publishes without a right, and the marker would keep
/// the box offline. But a connection may also end for another reason just then.
struct MarkerRest {
    /// This many connections in a row that end instead of an answer to the marker.
    static let limit = 3
    /// Limited, since the broker may just have been restarting then. After it one loss is enough.
    static let rest = Duration.seconds(24 * 3600)

    private var losses = 0
    private var until = Duration.zero

    func isOver(at now: Duration) -> Bool { now >= until }

    /// Notes the end of a connection that had asked for the marker.
    ///
    /// - Parameter isLost: whether the broker closed it before it had held, and the marker had not come.
    /// - Returns: whether the marker rests from now on.
    mutating func ended(isLost: Bool, at now: Duration) -> Bool {
        losses = isLost ? losses + 1 : 0
        guard losses >= Self.limit else { return false }
        until = now + Self.rest
        return true
    }
}
