/// One message as it arrived, before anything in it is trusted.
public struct FeedMessage: Sendable, Equatable {
    public enum Topic: Sendable, Equatable { case payments, commands }

    public var topic: Topic
    public var payload: [UInt8]
    /// The broker had retained this message and sent it when the box subscribed. Its age is unknown.
    public var isRetained: Bool
    /// Published while the box was connected. Any other message may have waited at the broker.
    public var isLive: Bool
    /// The topic name under which it came, if that is not the box's own name and may be another box's as well: a broker
    /// has rewritten it. Then only a signature proves that the message is for this box.
    public var doubtfulName: String?
    /// How long it was still valid when it arrived, according to its sender and the broker; unverified. `nil` if they
    /// do not say.
    public var expiry: Duration?

    public init(
        topic: Topic, payload: [UInt8], isRetained: Bool = false, isLive: Bool = false, doubtfulName: String? = nil,
        expiry: Duration? = nil
    ) {
        self.isLive = isLive
        self.expiry = expiry
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
        self.doubtfulName = doubtfulName
    }
}

/// A message on a topic that does not belong to the box. The box's session is subscribed to that topic all the same, by
/// earlier settings or by another client, so the sender believes that the message arrived.
public struct StrayMessage: Sendable, Equatable {
    public var name: String
    public var payload: [UInt8]

    public init(name: String, payload: [UInt8]) {
        self.name = name
        self.payload = payload
    }
}

/// A receipt that the inbox stores until the broker has confirmed it, or a refusal, which is sent once.
public struct OutgoingReceipt: Sendable, Equatable {
    /// Position in the inbox's outbox: always rises, never reused. 0 for a refusal, which is not stored.
    public var sequence: Int64
    /// The JSON text.
    public var payload: [UInt8]
    /// Where it is published.
    public var topic: Topic

    public init(sequence: Int64, payload: [UInt8], topic: Topic = .receipts) {
        self.sequence = sequence
        self.payload = payload
        self.topic = topic
    }

    /// The message for a receipt or a reply: the JSON of ``Receipt/json(sequence:epoch:)``.
    public init(_ receipt: Receipt, sequence: Int64, epoch: String?) {
        self.init(
            sequence: sequence, payload: receipt.json(sequence: sequence, epoch: epoch).bytes,
            topic: receipt.state.isReply ? .replies : .receipts)
    }

    /// The message for a refused command's reply.
    public init(refusal: Receipt) {
        self.init(sequence: 0, payload: refusal.json(sequence: nil, epoch: nil).bytes, topic: .replies)
    }
}

/// Whether payments can reach the box.
public enum FeedConnection: Sendable, Equatable {
    /// A connection is being made.
    case connecting
    /// The subscription is confirmed: payments arrive from now on.
    case subscribed
    /// There is no connection. The next attempt comes after `retryIn`.
    case disconnected(reason: String, retryIn: Duration)
    /// Stopped for good, because ``PaymentFeed/stop()`` was called.
    case stopped
}

/// Why payments may get lost although the box is, or could be, connected. Each has a cause that somebody can correct.
public enum FeedFault: Sendable, Hashable, CustomStringConvertible {
    /// Another client uses this client id, and the broker accepts only one of the two at a time. `isCertain` when the
    /// broker says so.
    case clientIDTaken(String, isCertain: Bool = false)
    /// The broker delivers these topics at QoS 0: it does not wait until the box has stored a message.
    case grantedQoS0(topics: [String])
    /// Notices were published at QoS 0, which nobody acknowledges.
    case noticesAtQoS0
    /// The broker deletes the session of an absent box, with its undelivered messages, sooner than was asked for.
    case sessionIsShort(granted: Duration, asked: Duration)
    /// Receipts or the status exceed the broker's packet limit. They are not sent.
    case answersTooLarge(limit: Int)
    /// What the broker sends next ends each connection.
    case messageCannotBeTaken(String, clientID: String)
    /// The broker closes each connection soon after it was made. `instead` says why, or of what an answer was missing.
    case connectionsClosed(instead: String?)
    /// Nothing of the broker arrives whole, though the connection stands: it hangs, it has stopped within a packet, or
    /// the line is too slow for the packet.
    case brokerStalls
    /// The box's message to itself, which shows where live begins, does not come back. `answer` continues "it …".
    case markerMissing(topic: String, answer: String)

    /// Whether no payment can arrive. With the others most do.
    public var stopsPayments: Bool {
        switch self {
        case .messageCannotBeTaken, .connectionsClosed, .brokerStalls: true
        case .clientIDTaken, .grantedQoS0, .noticesAtQoS0, .sessionIsShort, .answersTooLarge, .markerMissing: false
        }
    }

    /// One line for people that says what to do.
    public var description: String {
        switch self {
        case .clientIDTaken(let id, isCertain: true):
            "another client uses this box's client id \"\(id)\": the broker has ended the connection for it; give "
                + "every box a merchant_id and device_id of its own"
        case .clientIDTaken(let id, isCertain: false):
            "another client uses this box's client id \"\(id)\", as it seems: the broker ends each connection soon after "
                + "it was made; give every box a merchant_id and device_id of its own"
        case .grantedQoS0(let topics):
            "the broker grants QoS 0 only for \(topics.map { "\"\($0)\"" }.joined(separator: " and ")): what is sent "
                + "while the box is away, or when the connection breaks, is lost; let the broker allow QoS 1"
        case .noticesAtQoS0:
            "notices come with QoS 0: one that is sent while the box is away, or when a connection breaks, is lost; "
                + "publish them with QoS 1"
        case .sessionIsShort(let granted, let asked):
            "the broker keeps what waits for the box for \(granted.components.seconds) s only, "
                + "\(asked.components.seconds) s were asked for: what is sent while the box is away for longer is "
                + "lost; let the broker keep sessions for longer"
        case .answersTooLarge(let limit):
            "the broker takes packets of \(limit) bytes at most: receipts or the status are larger, and are not sent; "
                + "let the broker take larger ones"
        case .messageCannotBeTaken(let what, let clientID):
            "the broker's next message cannot be taken: \(what); payments behind it wait at the broker: who runs it has "
                + "to remove this message from what waits for the client \"\(clientID)\", and to stop its sender"
        case .connectionsClosed(let instead):
            "the broker closes each connection soon after it was made (\(instead ?? "it says no reason")): see the "
                + "broker's log; let this user read and write the box's topics"
        case .brokerStalls:
            "the broker keeps the connection and answers nothing, or sends a packet that does not end: nothing can "
                + "arrive; the box connects again by itself; if it goes on, restart the broker, or look at the line"
        case .markerMissing(let topic, let answer):
            "the broker does not return the box's message to itself on \"\(topic)\": \(answer); after each connection "
                + "payments may be announced as received while offline, for a minute; let this user read and write that "
                + "topic with QoS 1"
        }
    }
}

/// Delivers payments and sends receipts.
///
///     let running = Task { await feed.run(delegate: intake) }
///     feed.receiptsAreWaiting()
///     feed.stop()
///     await running.value
///
/// A feed acknowledges a message to its sender only after ``PaymentFeedDelegate/commit(_:)`` has returned for it. If
/// that throws, the feed acknowledges nothing of the batch, and the sender delivers it again.
public protocol PaymentFeed: Sendable {
    /// Connects and serves until ``stop()``; reconnects by itself without end. Returns when stopped. Call it once.
    func run(delegate: any PaymentFeedDelegate) async

    /// Sends waiting receipts and the offline status (bounded by a few seconds), disconnects, and makes `run` return.
    /// Never blocks; any thread.
    func stop()

    /// Tells the feed that the outbox has grown. Never blocks; any thread.
    func receiptsAreWaiting()

    /// How long its thread has been busy with the current call; any thread.
    var timeSinceLastTurn: Duration { get }

    /// Replaces the retained status (JSON text); sent now or as soon as connected. Never blocks; any thread.
    func publishStatus(_ payload: [UInt8])
}

/// What a feed reports to.
///
///     func commit(_ batch: [FeedMessage]) throws -> Int {
///         let arrivals = batch.filter { $0.topic == .payments }.map { arrival(of: $0.payload) }
///         return try inbox.store(arrivals, at: now).count { $0.isStored }
///     }
///
/// Every method is called on the feed's one thread, in order, and may block there: meanwhile nothing is read from the
/// network and nothing is acknowledged.
public protocol PaymentFeedDelegate: Sendable {
    /// Makes the batch durable. Returning means that it is on disk. Throwing refuses the whole batch, which is then
    /// delivered again.
    ///
    /// - Returns: how many payments of it are new. Refused notices, and those that were stored before, are not.
    @discardableResult func commit(_ batch: [FeedMessage]) throws -> Int

    /// Makes it durable that these were refused. Returning and throwing mean the same as for ``commit(_:)``.
    func strayed(_ messages: [StrayMessage]) throws

    /// A message was too large and was skipped. Returning means that this is noted on disk. Throwing makes the broker
    /// deliver it again.
    ///
    /// - Parameter bytes: the size of its payload.
    func skipped(_ topic: FeedMessage.Topic, bytes: Int) throws

    /// The oldest receipts that the broker has not confirmed, with a sequence above `sequence`.
    func receipts(after sequence: Int64, limit: Int) throws -> [OutgoingReceipt]

    /// The broker has confirmed these receipts; they need not be kept.
    func receiptsDelivered(_ sequences: [Int64]) throws

    func connectionChanged(to connection: FeedConnection)

    /// Called once for each connection that the broker accepts, before anything of it is committed.
    func sessionBegan(_ session: FeedSession)

    /// Reports the faults that ``FeedConnection`` does not show, whenever they change.
    ///
    /// - Parameter faults: all current faults; empty when all are over.
    func faultsChanged(to faults: [FeedFault])
}

/// What the broker says about the box's session at the beginning of a connection.
public struct FeedSession: Sendable, Equatable {
    /// The client id of the session.
    public var clientID: String
    /// The broker's address.
    public var broker: String
    /// The subscriptions still exist, and messages for them that came while the box was away are delivered now.
    /// Otherwise the broker has begun a new session, and undelivered messages of an earlier one are lost.
    public var isResumed: Bool

    public init(clientID: String, broker: String, isResumed: Bool) {
        self.clientID = clientID
        self.broker = broker
        self.isResumed = isResumed
    }
}
