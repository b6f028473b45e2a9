/// What the box remembers of its session at the broker, so that it notices when the broker has lost it.
///
/// The broker keeps undelivered payments in the session, and has acknowledged them to whoever sent them. When it comes
/// back without it, they are gone, and nobody else can know: the sender was told that they are safe.
public struct SessionRecord: Sendable, Equatable {
    /// Counts the sessions from 1 on. Whoever has seen one number and sees the next knows that there was a loss, or a
    /// new box.
    public var epoch: Int
    /// Whose it is.
    public var clientID: String
    /// When it was found, by the box's clock.
    public var began: Timestamp
    /// It came in place of one that the broker should have kept, and nobody has said yet that what may be missing was
    /// sent again.
    public var hasLoss: Bool

    public init(epoch: Int, clientID: String, began: Timestamp, hasLoss: Bool) {
        self.epoch = epoch
        self.clientID = clientID
        self.began = began
        self.hasLoss = hasLoss
    }

    /// How long a loss is a fault when nobody says that it was made good.
    public static let memory = Duration.seconds(3600)

    /// The record after a connection.
    ///
    /// - Parameter known: what was known before; `nil` at the first start, when nothing can be missing.
    public static func after(_ session: FeedSession, _ known: SessionRecord?, at now: Timestamp) -> SessionRecord {
        guard let known else {
            return SessionRecord(epoch: 1, clientID: session.clientID, began: now, hasLoss: false)
        }
        // The box has another name now, under which nothing can have waited.
        guard known.clientID == session.clientID else {
            return SessionRecord(epoch: known.epoch + 1, clientID: session.clientID, began: now, hasLoss: false)
        }
        if session.isResumed { return known }
        return SessionRecord(epoch: known.epoch + 1, clientID: known.clientID, began: now, hasLoss: true)
    }

    /// For people, while ``hasLoss``.
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

    /// As ``json`` writes it; `nil` for anything else.
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
