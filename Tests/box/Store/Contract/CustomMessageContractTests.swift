import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxStore

@Suite("What an inbox promises about custom messages and as a history, across restarts")
struct CustomMessageContractTests: InboxContract {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder(inMemory: true) }

    /// The same inbox each time, as after a restart.
    func open() throws -> SQLiteInbox { try SQLiteInbox(path: folder.file("inbox.sqlite")) }

    func customMessage(_ id: String, ring: Bool = true, _ content: CustomMessage.Content = .tone) throws
        -> CustomMessage
    {
        CustomMessage(
            id: try CommandID(id), purpose: ring ? .ring(timeout: .seconds(30)) : .say, content: content, at: noon)
    }

    func arrival(_ id: String, ring: Bool = true, onlyWhenNoRing: Bool = false) throws -> CommandArrival {
        .customMessage(try customMessage(id, ring: ring), expiry: evening, onlyWhenNoRing: onlyWhenNoRing)
    }

    func cancel(_ id: String, hasBegun: Bool = false) throws -> CommandArrival {
        .cancel(.customMessage(try CommandID(id)), expiry: evening, hasBegun: hasBegun)
    }

    func target(_ id: String) throws -> CancelTarget { .customMessage(try CommandID(id)) }

    func kind(_ name: String) throws -> KindName { try #require(KindName(name)) }

    /// - Returns: the entries that were accepted, and fails when one was not.
    func take(_ ids: [String], in inbox: SQLiteInbox) throws -> [CustomMessageEntry] {
        try inbox.apply(try ids.map { try arrival($0) }, at: noon).map { outcome in
            guard case .accepted(let entry) = outcome else {
                throw TestFailure("expected accepted, found \(outcome)")
            }
            return entry
        }
    }

    func receipt(_ id: String, _ state: String, _ reason: String? = nil) -> StoredReceipt {
        StoredReceipt(id: nil, state: state, reason: reason, command: "\"\(id)\"")
    }

    @Test("A custom message is kept as it came, in order of arrival, also when opened again")
    func kept() throws {
        let contents: [CustomMessage.Content] = [
            .tone, .text("三号桌 \"叫\"人\n"), .segments(["a", "b"]), .segments([]),
            .clip(ClipReference(url: "https://x/y", sha256: "ab", bytes: 7), otherwise: "c"),
            .clip(ClipReference(url: "https://x/y", sha256: "ab"), otherwise: nil),
            .kind(try kind("queue_number"), number: .max), .kind(try kind("deposit"), number: nil),
        ]
        var customMessages = try contents.enumerated().map { try customMessage("\($0)", ring: $0 % 2 == 0, $1) }
        customMessages[0].purpose = .ring(timeout: .milliseconds(5500))
        customMessages[1].at = Timestamp(millisecondsSince1970: -1)
        let reading = ClockReading(later, .unconfirmed)
        let outcomes = try open().apply(
            customMessages.map { .customMessage($0, expiry: evening, onlyWhenNoRing: false) }, at: reading)
        let kept = try open().customMessages()
        #expect(kept.map(\.customMessage) == customMessages)
        #expect(kept.map { .accepted($0) } == outcomes)
        #expect(Set(kept.map(\.receivedAt)) == [later])
        #expect(Set(kept.map(\.clock)) == [.unconfirmed])
        #expect(kept.map(\.sequence) == kept.map(\.sequence).sorted())
        try open().distrustArrivalTimes()
        #expect(try Set(open().customMessages().map(\.clock)) == [.none], "clocks after a jump")
        #expect(try receipts(of: open()) == contents.indices.map { receipt("\($0)", "stored") })
    }

    @Test("A custom message acts once by its id, also after it has ended, and is no command besides")
    func once() throws {
        let entry = try take(["r"], in: open())[0]
        let again = try [arrival("r"), .once(try CommandID("r"), expiry: evening)]
        #expect(try open().apply(again, at: noon) == [.duplicate, .duplicate], "while it waits")
        #expect(try open().end(entry, as: .missed, at: later))
        let known = "known: it was taken when it came first"
        #expect(try replies(of: open()) == [receipt("r", "ok"), receipt("r", "ok", known), receipt("r", "ok", known)])
        #expect(try open().apply(again, at: later) == [.duplicate, .duplicate])
        #expect(try open().customMessages() == [])
    }

    @Test("A custom message ends once, with one receipt that says how")
    func ends() throws {
        let ends: [(CustomMessageEnd, state: String, reason: String?)] = [
            (.answered, "answered", nil), (.missed, "missed", nil), (.spoken(.muted), "spoken", nil),
            (.failed(reason: "clip: too large"), "failed", "clip: too large"), (.expired, "expired", nil),
        ]
        let entries = try take(ends.map(\.state), in: open())
        for (entry, end) in zip(entries, ends) {
            #expect(try open().stillWaits(entry), "it may sound")
            #expect(try open().end(entry, as: end.0, at: later))
            #expect(try !open().end(entry, as: .answered, at: later), "a second end")
            #expect(try !open().stillWaits(entry), "it may sound again")
        }
        #expect(try open().customMessages() == [])
        #expect(
            try Array(receipts(of: open()).dropFirst(ends.count)) == ends.map { receipt($0.state, $0.state, $0.reason) }
        )
        let audibilities = try open().receipts(after: 0, limit: 99).compactMap {
            try JSONValue(parsing: $0.payload)["how"]?.string
        }
        #expect(audibilities == ["muted"])
    }

    @Test("Where a second ring is refused as busy, a sentence is not, and its id stays free")
    func busy() throws {
        let batch = try [
            arrival("r1", onlyWhenNoRing: true), arrival("s", ring: false, onlyWhenNoRing: true),
            arrival("r2", onlyWhenNoRing: true), arrival("r3"),
        ]
        let reason = "busy: another ring has not ended"
        #expect(try open().apply(batch, at: noon)[2] == .notAccepted(reason: reason))
        #expect(try open().customMessages().map(\.customMessage.id.text) == ["r1", "s", "r3"])
        #expect(try replies(of: open()) == ["r1", "s", "r3"].map { receipt($0, "ok") })
        #expect(try receipts(of: open()) == ["r1", "s", "r3"].map { receipt($0, "stored") })
        for entry in try open().customMessages() where entry.isRing {
            _ = try open().end(entry, as: .answered, at: later)
        }
        guard case .accepted = try open().apply([batch[2]], at: later).first else {
            throw TestFailure("a ring must be accepted when the others have ended")
        }
    }

    @Test("It is known beforehand which custom message would not be accepted")
    func reasonNotToAccept() throws {
        func reason(_ id: String) throws -> String? {
            try open().reasonNotToAccept(try customMessage(id), onlyWhenNoRing: true)
        }
        #expect(try reason("r") == nil, "before the first")
        _ = try open().apply([arrival("r"), cancel("c")], at: noon)
        #expect(try reason("x") == "busy: another ring has not ended", "beside another ring")
        #expect(try open().reasonNotToAccept(try customMessage("x"), onlyWhenNoRing: false) == nil, "where it may be")
        // They are answered otherwise.
        #expect(try [reason("r"), reason("c")] == [nil, nil], "one that is known, one that is cancelled")
    }

    @Test("No more custom messages wait than the limit")
    func limit() throws {
        _ = try take((1...CustomMessage.mostWaiting).map { "\($0)" }, in: open())
        guard case .notAccepted(let reason) = try open().apply([arrival("x")], at: noon).first else {
            throw TestFailure("expected one too many")
        }
        #expect(reason.hasPrefix("too many:"))
        #expect(try open().customMessages().count == CustomMessage.mostWaiting)
        _ = try open().end(try open().customMessages()[0], as: .expired, at: later)
        _ = try take(["y"], in: open())
    }

    @Test("A custom message that the inbox does not know changes nothing")
    func strangeCustomMessage() throws {
        let stranger = CustomMessageEntry(sequence: 9, customMessage: try customMessage("x"), receivedAt: noon)
        #expect(try !open().stillWaits(stranger), "it may sound")
        #expect(try !open().end(stranger, as: .answered, at: noon))
        #expect(try open().counts().receiptsWaiting == 0)
    }
}
