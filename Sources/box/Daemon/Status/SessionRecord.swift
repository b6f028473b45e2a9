import SoundboxCore

/// What the box stores about its session at the broker, to notice when the broker has lost it.
///
///     record = SessionRecord.after(session, record, at: now)
///     if record.hasLoss { faults.append(record.fault) }
///
/// The broker keeps undelivered payments in the session, and has acknowledged them to their senders. If it comes back
/// without the session, they are lost, and only the box can notice: the senders were told that they are safe.
public struct SessionRecord: Sendable, Equatable {
    /// Counts the sessions from 1 on. A reader who has seen one number and sees the next knows that there was a loss,
    /// or a new box.
    public var epoch: Int
    /// The client id of the session.
    public var clientID: String
    /// When the box first saw this session, by its own clock.
    public var began: Timestamp
    /// Whether it replaced a session that the broker should have kept, and nobody has confirmed yet that the missing
    /// messages were sent again.
    public var hasLoss: Bool

    public init(epoch: Int, clientID: String, began: Timestamp, hasLoss: Bool) {
        self.epoch = epoch
        self.clientID = clientID
        self.began = began
        self.hasLoss = hasLoss
    }

    /// How long a loss is reported as a fault if nobody confirms that it was repaired.
    public static let memory = Duration.seconds(3600)

    /// The record after a connection.
    ///
    /// - Parameter known: the record before; `nil` at the first start, when nothing can be missing.
    public static func after(_ session: FeedSession, _ known: SessionRecord?, at now: Timestamp) -> SessionRecord {
        guard let known else {
            return SessionRecord(epoch: 1, clientID: session.clientID, began: now, hasLoss: false)
        }
        // Under the box's new client id nothing can have waited.
        guard known.clientID == session.clientID else {
            return SessionRecord(epoch: known.epoch + 1, clientID: session.clientID, began: now, hasLoss: false)
        }
        if session.isResumed { return known }
        return SessionRecord(epoch: known.epoch + 1, clientID: known.clientID, began: now, hasLoss: true)
    }

    /// A text for people, while ``hasLoss``.
    public var fault: String {
        "the broker has lost this box's session, noticed at \(began) (epoch \(epoch)): payments that it took for the "
            + "box before may be lost there; have whatever has no receipt published again"
    }

    public var json: JSONValue {
        .object([
            ("epoch", .integer(epoch)), ("client", .string(clientID)), ("began", .string("\(began)")),
            ("loss", .bool(hasLoss)),
        ])
    }

    /// Reads ``json``; `nil` for anything else.
    public init?(decoding json: JSONValue) {
        guard let epoch = json["epoch"]?.integer, epoch > 0, epoch < Self.mostEpochs,
            let clientID = json["client"]?.string,
            let began = json["began"]?.string.flatMap(Timestamp.init(rfc3339:)), let hasLoss = json["loss"]?.bool
        else { return nil }
        self.init(epoch: epoch, clientID: clientID, began: began, hasLoss: hasLoss)
    }

    /// A number that no box reaches, so that counting never overflows.
    private static let mostEpochs = 1 << 50
}
