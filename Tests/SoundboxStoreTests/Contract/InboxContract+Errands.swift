import SoundboxCore

/// What the inbox promises about errands and their cancels, and as a history, as clauses that an empty one is put through.
///
/// `open` opens the same inbox again each time, as a restart does.
struct ErrandContract: Sendable, CustomStringConvertible {
    typealias Book = Inbox & ErrandBook & PaymentHistory

    /// A sentence that says what the clause demands.
    let description: String
    /// Throws ``InboxContractViolation``, or what the inbox threw.
    let check: @Sendable (_ open: () throws -> any Book) throws -> Void

    static let clauses: [ErrandContract] = clausesOfErrands + clausesOfCancels + clausesOfHistory

    static let noon = InboxContract.noon
    static let later = InboxContract.later
    static let evening = Timestamp(millisecondsSince1970: noon.millisecondsSince1970 + 3_600_000)

    static func errand(_ id: String, ring: Bool = true, _ content: Errand.Content = .tone) throws -> Errand {
        Errand(id: try CommandID(id), purpose: ring ? .ring(timeout: .seconds(30)) : .say, content: content, at: noon)
    }

    static func arrival(_ id: String, ring: Bool = true, onlyWhenNoRing: Bool = false) throws -> CommandArrival {
        .errand(try errand(id, ring: ring), expiry: evening, onlyWhenNoRing: onlyWhenNoRing)
    }

    static func cancel(_ id: String) throws -> CommandArrival { .cancel(.errand(try CommandID(id)), expiry: evening) }

    static func target(_ id: String) throws -> CancelTarget { .errand(try CommandID(id)) }

    /// - Returns: the entries that were accepted, and fails when one was not.
    static func take(_ ids: [String], in inbox: any Book) throws -> [ErrandEntry] {
        try inbox.take(try ids.map { try arrival($0) }, at: noon).map { outcome in
            guard case .accepted(let entry) = outcome else {
                throw InboxContractViolation(description: "expected accepted, found \(outcome)")
            }
            return entry
        }
    }

    static func receipt(_ id: String, _ state: String, _ reason: String? = nil) -> StoredReceipt {
        StoredReceipt(id: nil, state: state, reason: reason, command: "\"\(id)\"")
    }

    static func demand<Value: Equatable>(_ value: Value, equals expected: Value, _ what: String) throws {
        try InboxContract.demand(value, equals: expected, what)
    }
}

extension ErrandContract {
    static let clausesOfErrands: [ErrandContract] = [
        ErrandContract(description: "An errand is kept as it came, in order of arrival, also when opened again") {
            open in
            let contents: [Errand.Content] = [
                .tone, .text("三号桌 \"叫\"人\n"), .segments(["a", "b"]), .segments([]),
                .clip(ClipReference(url: "https://x/y", sha256: "ab", bytes: 7), otherwise: "c"),
                .clip(ClipReference(url: "https://x/y", sha256: "ab"), otherwise: nil),
                .kind(try kind("queue_number"), number: .max), .kind(try kind("deposit"), number: nil),
            ]
            var errands = try contents.enumerated().map { try errand("\($0)", ring: $0 % 2 == 0, $1) }
            errands[0].purpose = .ring(timeout: .milliseconds(5500))
            errands[1].at = Timestamp(millisecondsSince1970: -1)
            let reading = ClockReading(later, .unconfirmed)
            let outcomes = try open().take(
                errands.map { .errand($0, expiry: evening, onlyWhenNoRing: false) }, at: reading)
            let kept = try open().errands()
            try demand(kept.map(\.errand), equals: errands, "errands")
            try demand(kept.map { .accepted($0) }, equals: outcomes, "outcomes")
            try demand(Set(kept.map(\.receivedAt)), equals: [later], "times")
            try demand(Set(kept.map(\.clock)), equals: [.unconfirmed], "clocks")
            try demand(kept.map(\.sequence), equals: kept.map(\.sequence).sorted(), "sequences")
            try open().distrustArrivalTimes()
            try demand(Set(try open().errands().map(\.clock)), equals: [.none], "clocks after a jump")
            try demand(
                InboxContract.receipts(of: open()), equals: contents.indices.map { receipt("\($0)", "stored") },
                "receipts")
        },
        ErrandContract(description: "An errand acts once by its id, also after it has ended, and is no command besides")
        {
            open in
            let entry = try take(["r"], in: open())[0]
            let again = try [arrival("r"), .once(try CommandID("r"), expiry: evening)]
            try demand(
                open().take(again, at: noon), equals: [.duplicate, .duplicate],
                "while it waits")
            try demand(open().end(entry, as: .missed, at: later), equals: true, "its end")
            let known = "known: it was taken when it came first"
            try demand(
                InboxContract.replies(of: open()),
                equals: [receipt("r", "ok"), receipt("r", "ok", known), receipt("r", "ok", known)], "replies")
            try demand(
                open().take(again, at: later), equals: [.duplicate, .duplicate],
                "afterwards")
            try demand(open().errands(), equals: [], "errands")
        },
        ErrandContract(description: "An errand ends once, with one receipt that says how") { open in
            let ends: [(ErrandEnd, state: String, reason: String?)] = [
                (.answered, "answered", nil), (.missed, "missed", nil), (.spoken(.muted), "spoken", nil),
                (.failed(reason: "clip: too large"), "failed", "clip: too large"), (.expired, "expired", nil),
            ]
            let entries = try take(ends.map(\.state), in: open())
            for (entry, end) in zip(entries, ends) {
                try demand(open().markSounding(entry), equals: true, "it may sound")
                try demand(open().errands().first?.isSounding, equals: true, "it sounds")
                try demand(open().end(entry, as: end.0, at: later), equals: true, "its end")
                try demand(open().end(entry, as: .answered, at: later), equals: false, "a second end")
                try demand(open().markSounding(entry), equals: false, "it may sound again")
            }
            try demand(open().errands(), equals: [], "errands")
            try demand(
                Array(InboxContract.receipts(of: open()).dropFirst(ends.count)),
                equals: ends.map { receipt($0.state, $0.state, $0.reason) }, "receipts")
            let manners = try open().receipts(after: 0, limit: 99).compactMap {
                try JSONValue(parsing: $0.payload)["how"]?.string
            }
            try demand(manners, equals: ["muted"], "manners")
        },
        ErrandContract(description: "Where a second ring is refused as busy, a sentence is not, and its id stays free")
        {
            open in
            let batch = try [
                arrival("r1", onlyWhenNoRing: true), arrival("s", ring: false, onlyWhenNoRing: true),
                arrival("r2", onlyWhenNoRing: true), arrival("r3"),
            ]
            let reason = "busy: another ring has not ended"
            try demand(open().take(batch, at: noon)[2], equals: .notAccepted(reason: reason), "outcome")
            try demand(open().errands().map(\.errand.id.text), equals: ["r1", "s", "r3"], "errands")
            try demand(
                InboxContract.replies(of: open()), equals: ["r1", "s", "r3"].map { receipt($0, "ok") }, "replies")
            try demand(
                InboxContract.receipts(of: open()), equals: ["r1", "s", "r3"].map { receipt($0, "stored") }, "receipts")
            for entry in try open().errands() where entry.isRing { _ = try open().end(entry, as: .answered, at: later) }
            guard case .accepted = try open().take([batch[2]], at: later).first else {
                throw InboxContractViolation(description: "a ring must be accepted when the others have ended")
            }
        },
        ErrandContract(description: "It is known beforehand which errand would not be accepted") { open in
            func reason(_ id: String) throws -> String? {
                try open().reasonNotToAccept(try errand(id), onlyWhenNoRing: true)
            }
            try demand(reason("r"), equals: nil, "before the first")
            _ = try open().take([arrival("r"), cancel("c")], at: noon)
            try demand(reason("x"), equals: "busy: another ring has not ended", "beside another ring")
            try demand(open().reasonNotToAccept(try errand("x"), onlyWhenNoRing: false), equals: nil, "where it may be")
            // They are answered otherwise.
            try demand([reason("r"), reason("c")], equals: [nil, nil], "one that is known, one that is cancelled")
        },
        ErrandContract(description: "No more errands wait than the limit") { open in
            _ = try take((1...Errand.mostWaiting).map { "\($0)" }, in: open())
            guard case .notAccepted(let reason) = try open().take([arrival("x")], at: noon).first else {
                throw InboxContractViolation(description: "expected one too many")
            }
            try demand(reason.hasPrefix("too many:"), equals: true, "the reason")
            try demand(open().errands().count, equals: Errand.mostWaiting, "errands")
            _ = try open().end(try open().errands()[0], as: .expired, at: later)
            _ = try take(["y"], in: open())
        },
        ErrandContract(description: "An errand that the inbox does not know changes nothing") { open in
            let stranger = ErrandEntry(sequence: 9, errand: try errand("x"), receivedAt: noon)
            try demand(open().markSounding(stranger), equals: false, "it may sound")
            try demand(open().end(stranger, as: .answered, at: noon), equals: false, "its end")
            try demand(open().counts().receiptsWaiting, equals: 0, "receipts")
        },
    ]

    private static func kind(_ name: String) throws -> KindName {
        guard let kind = KindName(name) else { throw InboxContractViolation(description: "no kind: \(name)") }
        return kind
    }
}
