/// One message as it arrived, before anything in it is trusted.
public struct FeedMessage: Sendable, Equatable {
    public enum Topic: Sendable, Equatable { case payments, commands }

    public var topic: Topic
    public var payload: [UInt8]
    /// The broker had kept this message and sent it on subscribing. Its age is unknown.
    public var isRetained: Bool
    /// It was published while the box was connected. Anything else may have waited at the broker.
    public var isLive: Bool
    /// Under which it came, where that is not the box's own name of the topic, and may stand for another box's as well: a
    /// broker has rewritten it. Then only a signature tells whose it is.
    public var doubtfulName: String?
    /// How long it was still news when it arrived, as its sender and the broker say, and nobody vouches for; `nil` when
    /// they do not say.
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

/// A message under a name that is none of the box's. Its session subscribes to that all the same, from earlier settings or
/// by somebody else's hand, so its sender believes that it arrived.
public struct StrayMessage: Sendable, Equatable {
    public var name: String
    public var payload: [UInt8]

    public init(name: String, payload: [UInt8]) {
        self.name = name
        self.payload = payload
    }
}

/// A receipt on its way out, as the inbox keeps it until the broker has confirmed it, or a refusal, which is sent once.
public struct OutgoingReceipt: Sendable, Equatable {
    /// Position in the inbox's outbox: rises without end, never reused. 0 for a refusal, which is not in it.
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

    /// What is published of a receipt or a reply: the JSON of ``Receipt/json(sequence:epoch:)``.
    public init(_ receipt: Receipt, sequence: Int64, epoch: String?) {
        self.init(
            sequence: sequence, payload: receipt.json(sequence: sequence, epoch: epoch).bytes,
            topic: receipt.state.isReply ? .replies : .receipts)
    }

    /// What is published of a refused command's reply.
    public init(refusal: Receipt) {
        self.init(sequence: 0, payload: refusal.json(sequence: nil, epoch: nil).bytes, topic: .replies)
    }
}

/// Whether payments can reach the box.
public enum FeedConnection: Sendable, Equatable {
    /// A connection is being made.
    case connecting
    /// The subscription is confirmed: payments arrive from here on.
    case subscribed
    /// There is no connection. The next attempt comes after `retryIn`.
    case disconnected(reason: String, retryIn: Duration)
    /// Stopped for good, at the caller's request.
    case stopped
}

/// Why payments may go astray although the box is connected, now and then at least. None of these keeps the box from its
/// work, and each is somebody's mistake that can be mended.
public enum FeedFault: Sendable, Hashable, CustomStringConvertible {
    /// Another client has this client id, and the broker lets one of the two in at a time. It is certain when the broker
    /// says so.
    case clientIDTaken(String, isCertain: Bool = false)
    /// The broker delivers these topics without waiting for the box to have stored what it sends.
    case grantedQoS0(topics: [String])
    /// Notices were published in a way that nobody acknowledges.
    case noticesAtQoS0
    /// The broker forgets a box that is away, and what waits for it, sooner than was asked for.
    case sessionIsShort(granted: Duration, asked: Duration)
    /// Receipts or the status were larger than what the broker takes. They are not sent.
    case answersTooLarge(limit: Int)

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
        }
    }
}

/// Where payments come from and receipts go to.
///
/// A feed acknowledges a message to its sender only after ``PaymentFeedDelegate/commit(_:)`` has returned for it.
/// When that throws, the feed acknowledges nothing of the batch, and the sender delivers it again.
public protocol PaymentFeed: Sendable {
    /// Connects and serves until ``stop()``; reconnects by itself, for ever. Returns when stopped. Call it once.
    func run(delegate: any PaymentFeedDelegate) async

    /// Sends waiting receipts and the offline status (bounded by a few seconds), disconnects, and makes `run` return.
    /// Never blocks; may be called from any thread.
    func stop()

    /// Tells the feed that the outbox has grown. Never blocks; may be called from any thread.
    func receiptsAreWaiting()

    /// Replaces the retained status (JSON text); sent now or as soon as connected. Never blocks; any thread.
    func publishStatus(_ payload: [UInt8])
}

/// What a feed reports to. Every method is called on the feed's one thread, in order, and may block there: while it
/// does, nothing is read from the network and nothing is acknowledged.
public protocol PaymentFeedDelegate: Sendable {
    /// Makes the batch durable. Returning means: on disk. Throwing means: refuse the whole batch, have it sent again.
    func commit(_ batch: [FeedMessage]) throws

    /// Makes it durable that these were refused. Returning and throwing mean what they mean in ``commit(_:)``.
    func strayed(_ messages: [StrayMessage]) throws

    /// A message was too large and was skipped. Returning means: the note of it is on disk. Throwing means: have it sent
    /// again.
    ///
    /// - Parameter bytes: the size of its payload.
    func skipped(_ topic: FeedMessage.Topic, bytes: Int) throws

    /// The oldest receipts that the broker has not confirmed, with a sequence above `sequence`.
    func receipts(after sequence: Int64, limit: Int) throws -> [OutgoingReceipt]

    /// The broker has confirmed these receipts; they need not be kept.
    func receiptsDelivered(_ sequences: [Int64]) throws

    func connectionChanged(to connection: FeedConnection)

    /// Comes once on each connection that the broker accepts, before anything of it is committed.
    func sessionBegan(_ session: FeedSession)

    /// Reports the faults that the state of the connection does not show, when they are others than before.
    ///
    /// - Parameter faults: all that are there now; none when all are over.
    func faultsChanged(to faults: [FeedFault])
}
