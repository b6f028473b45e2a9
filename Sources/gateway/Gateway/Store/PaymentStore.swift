import SoundboxCore

/// All payments, what is known of the boxes, and unread webhooks: what the gateway asks of the database.
///
///     let store: any PaymentStore = try SQLitePaymentStore(path: "/var/lib/soundbox-gateway/gateway.sqlite")
///     let outcomes = try store.accept([Submission([(box, notice)])], at: store.clock.now)
///
/// What a method has stored is on the disk when it returns; if it throws, nothing of it is. Every method blocks. Any
/// thread; calls take turns. `PaymentStoreContractTests` and its neighbours test every
/// implementation.
package protocol PaymentStore: CallbackStore {
    /// Once a minute and at the end, since the clock stands still from the last commit on.
    ///
    /// - Throws: when nothing can be written, as on a full disk.
    func saveTime() throws(StoreError)

    /// Lets other gateways publish what this one holds: it cannot, or it ends.
    func release()

    // MARK: Requests

    /// Stores what requests have brought, all in one commit.
    ///
    /// - Returns: one outcome for each, in order.
    func accept(_ submissions: [Submission], at now: Moment) throws(StoreError) -> [SubmissionOutcome]

    func payment(_ id: PaymentID, of box: BoxID) throws(StoreError) -> StoredPayment?

    // MARK: Delivery

    /// The open payments that are due, those that have waited longest first. This gateway holds them: no other gets
    /// them until they are put off, acknowledged, refused, given up or ``release()``d, or it shows no sign of life for
    /// 30 s.
    ///
    /// - Parameter now: ``Moment/running``.
    func due(at now: Duration, limit: Int) throws(StoreError) -> DuePayments

    /// Makes all open payments due: first those that were never published. Thousands of a box that is away, which are
    /// only looked at, must not delay a new one.
    func awaken() throws(StoreError)

    /// Puts payments off, and gives up others, in one commit: some that ``due(at:limit:)`` has returned.
    func settle(
        waiting: [(number: Int64, until: Duration)], givenUp: [Int64], at now: Moment
    ) throws(StoreError)

    /// Stores a turn of the connection in one commit.
    ///
    /// - Parameters:
    ///   - boxes: what is known of each box now.
    ///   - start: since when receipts are listened to, as ``Moment/running``.
    func commit(
        _ turn: DeliveryTurn, boxes: [BoxID: KnownBox], listeningSince start: Duration, at now: Moment
    ) throws(StoreError) -> DeliveryTurnOutcome

    /// What is known of each box that has had a payment or a status.
    func boxes() throws(StoreError) -> [BoxID: KnownBox]

    /// Writes what is known of boxes, in one commit.
    func write(_ boxes: [BoxID: KnownBox]) throws(StoreError)

    /// Whether all open payments of a box were published in this session.
    func isPublishedAgain(_ box: BoxID, in epoch: Int) throws(StoreError) -> Bool

    /// Deletes the oldest payments that came before a time (``Moment/running``), at most `limit`, and as many callbacks
    /// that were given up. Open payments and waiting callbacks stay. Also deletes unread webhooks.
    ///
    /// - Returns: whether there may be more.
    func prune(before time: Duration, limit: Int) throws(StoreError) -> Bool

    // MARK: Lists and metrics

    /// - Parameter now: by the gateway's clock; a reader's own has not gone on.
    func list(_ query: PaymentQuery, at now: Moment) throws(StoreError) -> PaymentPage

    /// The payments that no shop has heard of, oldest first.
    func unheard(limit: Int) throws(StoreError) -> [StoredPayment]

    /// When each open payment was accepted, as ``Moment/running``.
    func openSince() throws(StoreError) -> [Duration]

    // MARK: Unread webhooks

    /// Oldest first.
    func unreadNumbers() throws(StoreError) -> [Int64]

    func unread(_ number: Int64) throws(StoreError) -> UnreadWebhook?

    func unreadCount() throws(StoreError) -> Int

    /// Stores what another attempt has read of an unread webhook, and deletes the webhook if nothing is left of it: in
    /// one commit.
    ///
    /// - Returns: why it stays; `nil` if it does not.
    func accept(
        _ payments: [(box: BoxID, notice: PaymentNotice)], problems: [String], ofUnread number: Int64, at now: Moment
    ) throws(StoreError) -> String?
}

/// What a program does with a store.
package enum StoreRole: Sendable {
    /// Publishes what is in it.
    case gateway
    /// Only looks.
    case reader
    /// A second process, which also writes. It leaves the clock to the gateway: its own is behind by what has passed
    /// since the gateway's last commit, a minute at most.
    case editor
}

/// What one request brings.
package struct Submission: Sendable {
    package var payments: [(box: BoxID, notice: PaymentNotice)]
    /// The name of the access token; `nil` for a webhook.
    package var token: String?
    /// Stored as well where there are problems, also that a payment's id is known with another amount.
    package var webhook: GenuineWebhook?
    package var problems: [String] = []

    package init(
        _ payments: [(box: BoxID, notice: PaymentNotice)], token: String? = nil, webhook: GenuineWebhook? = nil,
        problems: [String] = []
    ) {
        self.payments = payments
        self.token = token
        self.webhook = webhook
        self.problems = problems
    }

    var sender: PaymentSender? { webhook.map { .hook($0.hook) } ?? token.map { .token($0) } }

    /// Why its webhook is stored as well; `nil` if it is not.
    func problem(_ acceptances: [Acceptance]) -> String? {
        let problems =
            problems
            + zip(payments, acceptances).compactMap { payment, acceptance in
                guard case .differs(let money) = acceptance else { return nil }
                return "\(payment.box): the id \(payment.notice.id.text.excerpt) is known with another amount: \(money)"
            }
        guard let first = problems.first else { return nil }
        return String(first.prefix(500)) + (problems.count > 1 ? " (and \(problems.count - 1) more)" : "")
    }
}

/// What became of a ``Submission``.
package struct SubmissionOutcome: Sendable, Equatable {
    /// One for each payment, in order.
    package var acceptances: [Acceptance]
    package var unread: Unread?

    package struct Unread: Sendable, Equatable {
        package var number: Int64
        package var count: Int
        package var reason: String
        /// How many of the oldest were deleted to make room.
        package var deleted = 0
    }
}

/// What became of a payment that has just come.
package enum Acceptance: Sendable, Equatable {
    case accepted
    /// The id is known, with the same amount; nothing was changed.
    case known(PaymentState)
    /// The same hook has brought it for another box, with the same amount; nothing was changed.
    case knownElsewhere(BoxID)
    /// The id is known with another amount; nothing was changed.
    case differs(Money)
}

/// What is to be looked at: published, published again, put off or given up.
package struct DuePayments: Sendable, Equatable {
    package var payments: [Entry] = []
    /// Numbers of those that are left out, since no gateway can have written them.
    package var unreadable: [Int64] = []
    /// The names of gateways that have shown no sign of life: others publish what they held.
    package var endedGateways: [String] = []

    package struct Entry: Sendable, Equatable {
        package var number: Int64
        package var payment: StoredPayment
    }
}

/// What one turn of the connection has brought.
package struct DeliveryTurn: Sendable {
    package var receipts: [(box: BoxID, id: PaymentID, answer: DeliveryRules.Answer)] = []
    /// Numbers of payments that the broker has taken, each with the box's session as it was published.
    package var acknowledged: [(number: Int64, sessionEpoch: Int?)] = []
    /// Numbers of payments that the broker has refused.
    package var refused: [(number: Int64, reason: String)] = []
    /// Boxes of which something is known that the store does not have.
    package var changedBoxes: [BoxID] = []
    /// Boxes whose open payments may be due now.
    package var awakened: Set<BoxID> = []

    package init() {}

    /// Whether it may say nothing new: every gateway gets the receipts and statuses of all boxes.
    var isPerhapsKnown: Bool { acknowledged.isEmpty && refused.isEmpty }

    package var isEmpty: Bool {
        receipts.isEmpty && acknowledged.isEmpty && refused.isEmpty && changedBoxes.isEmpty && awakened.isEmpty
    }
}

/// What a ``DeliveryTurn`` has changed.
package struct DeliveryTurnOutcome: Sendable, Equatable {
    /// By a receipt that says so. One of a copy comes later.
    package var announced: [StoredPayment] = []
    package var ended: [StoredPayment] = []
    package var resent = 0
}

/// Why the store cannot do something.
package struct StoreError: Error, CustomStringConvertible {
    package let description: String
    /// Whether it may pass without anybody changing a setting.
    package let isTemporary: Bool

    init(_ description: String, isTemporary: Bool = false) {
        (self.description, self.isTemporary) = (description, isTemporary)
    }
}

/// Which payments to list.
package struct PaymentQuery: Sendable, Equatable {
    /// Without it of every box of ``merchants``.
    package var box: BoxID?
    /// `nil`: of all.
    package var merchants: [String]?
    /// Accepted then or later.
    package var since: Timestamp?
    /// Behind this number: ``PaymentPage/next`` of the page before.
    package var after: Int64 = 0
    package var limit = 100
    /// How many rows are looked at for a page of several boxes.
    var lookedAt: Int64 = 50_000

    package init() {}

    /// By how much a clock that people read may have been set while the gateway ran.
    private static let clockLeeway = Duration.seconds(3600)

    /// When what was accepted since a time came at the earliest, as ``Moment/running``.
    func earliest(since: Timestamp, at now: Moment) -> Duration {
        let span = Duration.milliseconds(now.time.millisecondsSince1970 - since.millisecondsSince1970)
        return now.running - span - Self.clockLeeway
    }

    /// A condition in SQL: the shop has not heard of it. An expired one may have been heard in a summary.
    static let unheardCondition: String = {
        let states = PaymentState.allCases.filter(\.isUnheard).map { "'\($0.rawValue)'" }.joined(separator: ", ")
        return "state IN (\(states)) AND NOT (state = 'expired' AND how IS NOT NULL AND how = 'aloud')"
    }()
}

/// Some of the payments, in the order in which they were accepted.
package struct PaymentPage: Sendable, Equatable {
    package var payments: [StoredPayment]
    /// Where the next page goes on, which may be without a payment on this one; `nil` at the end.
    package var next: Int64?

    /// - Parameters:
    ///   - rows: up to one more than `limit`.
    ///   - end: the number up to which rows were looked at, if there are more behind it.
    init(_ rows: [PaymentRow], limit: Int, end: Int64?) {
        payments = rows.prefix(limit).map(\.payment)
        next = rows.count > limit ? rows[limit - 1].number : end
    }

    static let empty = PaymentPage([], limit: 0, end: nil)
}
