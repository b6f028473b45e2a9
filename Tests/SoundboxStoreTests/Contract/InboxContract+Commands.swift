import SoundboxCore

extension InboxContract {
    static let clausesOfCommands: [InboxContract] = [
        InboxContract(description: "A command's id is new once, in any batch, until its time has passed") { inbox in
            let command = CommandArrival.once(try CommandID("c"), expiry: later)
            let other = CommandArrival.once(try CommandID("d"), expiry: later)
            try demand(
                inbox.take([command, command], at: noon), equals: [.isNew, .duplicate],
                "in one batch")
            try demand(
                inbox.take([other, command], at: later), equals: [.isNew, .duplicate], "in the next")
            let evening = Timestamp(millisecondsSince1970: later.millisecondsSince1970 + 1)
            // What has expired makes room when something new comes.
            try demand(inbox.take([.once(try CommandID("e"), expiry: evening)], at: evening), equals: [.isNew], "new")
            try demand(inbox.take([command], at: evening), equals: [.isNew], "after its time")
            try demand(receipts(of: inbox), equals: [], "receipts")
            try demand(
                replies(of: inbox).map { "\($0.command ?? "") \($0.state ?? "")" },
                equals: [#""c" ok"#, #""c" ok"#, #""d" ok"#, #""c" ok"#, #""e" ok"#, #""c" ok"#],
                "replies: one for each time that it came")
        },
        InboxContract(description: "A command that is carried out as often as it comes has a reply each time") {
            inbox in
            let named = CommandArrival.always(try CommandID("v"))
            try demand(
                inbox.take([named, .always(nil), named], at: noon), equals: [.isNew, .isNew, .isNew], "outcomes")
            try demand(
                replies(of: inbox).map { "\($0.command ?? "") \($0.state ?? "")" },
                equals: [#""v" ok"#, "null ok", #""v" ok"#], "replies")
        },
        InboxContract(description: "A clock that may be wrong forgets no command's id") { inbox in
            let year = Timestamp(millisecondsSince1970: later.millisecondsSince1970 + 365 * 86_400_000)
            let command = CommandArrival.once(try CommandID("c"), expiry: later)
            let other = CommandArrival.once(try CommandID("d"), expiry: year)
            _ = try inbox.take([command], at: ClockReading(noon, .none))
            try demand(inbox.take([other], at: ClockReading(year, .none)), equals: [.isNew], "a year ahead")
            try demand(inbox.take([command], at: noon), equals: [.duplicate], "right again")
        },
        InboxContract(description: "No more than the newest 4,096 ids of commands are kept") { inbox in
            func command(_ number: Int) throws -> CommandArrival { .once(try CommandID("c-\(number)"), expiry: later) }
            _ = try inbox.take(try (0...CommandID.limit).map { try command($0) }, at: noon)
            try demand(
                inbox.take([try command(1)], at: noon), equals: [.duplicate],
                "the oldest that is kept")
            try demand(inbox.take([try command(0)], at: noon), equals: [.isNew], "the one before it")
        },
        InboxContract(description: "Nothing of a refused command is kept: neither its reply nor its id") { inbox in
            let entry = try only(store(["1"], in: inbox))
            try inbox.markAnnounced(entry, at: noon)
            let before = try inbox.receipts(after: 0, limit: 10)
            let (late, unknown) = (CancelTarget.payment(entry.notice.id), CancelTarget.payment(try PaymentID("x")))
            let cancels = try [late, unknown].map { CommandArrival.cancel($0, id: try CommandID("c"), expiry: later) }
            try demand(
                inbox.take(cancels, at: noon), equals: [.tooLate(late, state: "announced"), .unknown(unknown)],
                "outcomes")
            try demand(inbox.receipts(after: 0, limit: 10), equals: before, "receipts and replies")
            // Beside others in one batch, too.
            let once = CommandArrival.once(try CommandID("c"), expiry: later)
            try demand(
                inbox.take([cancels[0], once, cancels[1]], at: noon),
                equals: [.tooLate(late, state: "announced"), .isNew, .unknown(unknown)], "in one batch")
            try demand(replies(of: inbox).map(\.state), equals: ["ok"], "replies")
        },
        InboxContract(description: "Payments are cancelled in the order of the batch, with receipts of their own") {
            inbox in
            let entries = try store(["1", "2"], in: inbox)
            let (known, unknown) = (
                CancelTarget.payment(entries[1].notice.id), CancelTarget.payment(try PaymentID("x"))
            )
            try demand(
                inbox.take([known, known, unknown].map { .cancel($0, expiry: later) }, at: later),
                equals: [.cancelled(known, .whileItWaited), .tooLate(known, state: "cancelled"), .unknown(unknown)],
                "outcomes")
            try demand(inbox.waiting(limit: 10), equals: [entries[0]], "waiting")
            try demand(
                receipts(of: inbox).suffix(1), equals: [StoredReceipt(id: "2", state: "cancelled")], "receipt")
            try demand(
                replies(of: inbox).map { "\($0.state ?? "") \($0.reason ?? "")" },
                equals: ["ok ", "ok payment_id: it is cancelled already"], "replies")
        },
        InboxContract(description: "An id is known from the payment's arrival on, whatever becomes of it") { inbox in
            let id = try PaymentID("1")
            try demand(inbox.knows(id), equals: false, "before")
            let entry = try only(store(["1"], in: inbox))
            try demand(inbox.knows(id), equals: true, "stored")
            try inbox.markAnnounced(entry, at: later)
            try demand(inbox.knows(id), equals: true, "announced")
            try demand(inbox.knows(try PaymentID("1 ")), equals: false, "another")
        },
    ]
}
