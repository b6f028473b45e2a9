import SoundboxCore

/// An event that a receiver is to get by HTTP, until it has taken it.
package struct Callback: Sendable, Equatable {
    package var number: Int64
    /// Its name in gateway.yaml.
    package var receiver: String
    /// The same with each attempt, and for each receiver of the event.
    package var eventID: String
    package var body: String
    package var created: Moment
    /// How often it was sent in vain.
    package var attempts: Int
    /// What came of the last attempt.
    package var answer: String?
    /// `nil` as long as it is sent.
    package var givenUpAt: Timestamp?

    package init(
        number: Int64, receiver: String, eventID: String, body: String, created: Moment, attempts: Int = 0,
        answer: String? = nil, givenUpAt: Timestamp? = nil
    ) {
        self.number = number
        self.receiver = receiver
        self.eventID = eventID
        self.body = body
        self.created = created
        self.attempts = attempts
        self.answer = answer
        self.givenUpAt = givenUpAt
    }

    /// One object, with the whole event.
    package var json: JSONValue {
        .object([
            ("number", .integer(Int(number))), ("receiver", .string(receiver)), ("id", .string(eventID)),
            ("created_at", .string("\(created.time)")), ("attempts", .integer(attempts)),
            ("answer", answer.map { .string($0) } ?? .null),
            ("given_up_at", givenUpAt.map { .string("\($0)") } ?? .null), ("event", event ?? .null),
        ])
    }

    /// What ``body`` says; `nil` for one that was changed by hand.
    package var event: JSONValue? { try? JSONValue(parsing: Array(body.utf8)) }
}

/// What a receiver is told when a payment ends.
package struct CallbackEvent: Sendable, Equatable {
    /// Nobody can guess it, and no two gateways make the same one.
    package let id: String
    package let body: String

    /// The states that a receiver may be told of.
    package static let states: [PaymentState] = [.announced, .failed, .givenUp, .expired, .cancelled]

    init(of payment: StoredPayment) {
        id = "evt_" + (0..<16).map { _ in UInt8.random(in: .min ... .max) }.hexadecimal
        body =
            JSONValue.object([
                ("type", .string("payment.\(payment.state.rawValue)")),
                ("timestamp", .string("\(payment.stateSince)")), ("data", payment.json),
            ]).text
    }
}
