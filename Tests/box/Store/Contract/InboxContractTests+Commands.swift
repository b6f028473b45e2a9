import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxStore

extension InboxContractTests {
    @Test("A command's id is new once, in any batch, until its time has passed")
    func commandOnce() throws {
        let command = CommandArrival.once(try CommandID("c"), expiry: later)
        let other = CommandArrival.once(try CommandID("d"), expiry: later)
        #expect(try inbox.apply([command, command], at: noon) == [.isNew, .duplicate], "in one batch")
        #expect(try inbox.apply([other, command], at: later) == [.isNew, .duplicate], "in the next")
        let evening = Timestamp(millisecondsSince1970: later.millisecondsSince1970 + 1)
        // What has expired makes room when something new comes.
        #expect(try inbox.apply([.once(try CommandID("e"), expiry: evening)], at: evening) == [.isNew])
        #expect(try inbox.apply([command], at: evening) == [.isNew], "after its time")
        #expect(try receipts(of: inbox) == [])
        #expect(
            try replies(of: inbox).map { "\($0.command ?? "") \($0.state ?? "")" } == [
                #""c" ok"#, #""c" ok"#, #""d" ok"#, #""c" ok"#, #""e" ok"#, #""c" ok"#,
            ], "replies: one for each time that it came")
    }

    @Test("A command that is carried out as often as it comes has a reply each time")
    func commandAlways() throws {
        let named = CommandArrival.always(try CommandID("v"))
        #expect(try inbox.apply([named, .always(nil), named], at: noon) == [.isNew, .isNew, .isNew])
        #expect(
            try replies(of: inbox).map { "\($0.command ?? "") \($0.state ?? "")" } == [
                #""v" ok"#, "null ok", #""v" ok"#,
            ])
    }

    @Test("A clock that may be wrong forgets no command's id")
    func wrongClock() throws {
        let year = Timestamp(millisecondsSince1970: later.millisecondsSince1970 + 365 * 86_400_000)
        let command = CommandArrival.once(try CommandID("c"), expiry: later)
        let other = CommandArrival.once(try CommandID("d"), expiry: year)
        _ = try inbox.apply([command], at: ClockReading(noon, .none))
        #expect(try inbox.apply([other], at: ClockReading(year, .none)) == [.isNew], "a year ahead")
        let third = CommandArrival.once(try CommandID("e"), expiry: year)
        let taught = ClockReading(noon, .unconfirmed, earliest: year, proven: year)
        #expect(try inbox.apply([third], at: taught) == [.isNew], "taught by messages")
        #expect(try inbox.apply([command], at: noon) == [.duplicate])
    }

    @Test("No more than the newest 4,096 ids of commands are kept")
    func commandLimit() throws {
        func command(_ number: Int) throws -> CommandArrival { .once(try CommandID("c-\(number)"), expiry: later) }
        _ = try inbox.apply(try (0...CommandID.limit).map { try command($0) }, at: noon)
        #expect(try inbox.apply([try command(1)], at: noon) == [.duplicate], "the oldest that is kept")
        #expect(try inbox.apply([try command(0)], at: noon) == [.isNew], "the one before it")
    }

    @Test("Nothing of a refused command is kept: neither its reply nor its id")
    func refusedCommand() throws {
        let entry = try only(store(["1"], in: inbox))
        try inbox.markAnnounced(entry, at: noon)
        let before = try inbox.receipts(after: 0, limit: 10)
        let (late, unknown) = (CancelTarget.payment(entry.notice.id), CancelTarget.payment(try PaymentID("x")))
        let cancels = try [late, unknown].map { CommandArrival.cancel($0, id: try CommandID("c"), expiry: later) }
        #expect(try inbox.apply(cancels, at: noon) == [.tooLate(late, state: "announced"), .unknown(unknown)])
        #expect(try inbox.receipts(after: 0, limit: 10) == before, "receipts and replies")
        // Beside others in one batch, too.
        let once = CommandArrival.once(try CommandID("c"), expiry: later)
        #expect(
            try inbox.apply([cancels[0], once, cancels[1]], at: noon) == [
                .tooLate(late, state: "announced"), .isNew, .unknown(unknown),
            ], "in one batch")
        #expect(try replies(of: inbox).map(\.state) == ["ok"])
    }

    @Test("Payments are cancelled in the order of the batch, with receipts of their own")
    func cancelsInBatch() throws {
        let entries = try store(["1", "2"], in: inbox)
        let (known, unknown) = (
            CancelTarget.payment(entries[1].notice.id), CancelTarget.payment(try PaymentID("x"))
        )
        #expect(
            try inbox.apply([known, known, unknown].map { .cancel($0, expiry: later) }, at: later) == [
                .cancelled(known, .whileItWaited), .tooLate(known, state: "cancelled"), .unknown(unknown),
            ])
        #expect(try inbox.waiting(limit: 10) == [entries[0]])
        #expect(try receipts(of: inbox).suffix(1) == [StoredReceipt(id: "2", state: "cancelled")])
        #expect(
            try replies(of: inbox).map { "\($0.state ?? "") \($0.reason ?? "")" } == [
                "ok ", "ok payment_id: it is cancelled already",
            ])
    }

    @Test("An id is known from the payment's arrival on, whatever becomes of it")
    func known() throws {
        let id = try PaymentID("1")
        #expect(try !inbox.knows(id), "before")
        let entry = try only(store(["1"], in: inbox))
        #expect(try inbox.knows(id))
        try inbox.markAnnounced(entry, at: later)
        #expect(try inbox.knows(id))
        #expect(try !inbox.knows(try PaymentID("1 ")))
    }
}
