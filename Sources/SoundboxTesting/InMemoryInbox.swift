import SoundboxCore
import Synchronization

/// The inbox in memory: for tests of what happens around it, and as the model that the real one is held against.
public final class InMemoryInbox: Inbox {
    private struct Contents {
        var entries: [InboxEntry] = []
        var receipts: [OutgoingReceipt] = []
        /// Oldest first.
        var commands: [(id: CommandID, expiry: Timestamp)] = []
        var nextReceipt: Int64 = 1
        var failure: InboxError?

        mutating func write(_ receipt: Receipt) {
            receipts.append(
                OutgoingReceipt(sequence: nextReceipt, payload: receipt.json(sequence: nextReceipt).bytes))
            nextReceipt += 1
        }

        func check() throws(InboxError) {
            if let failure { throw failure }
        }
    }

    private let contents = Mutex(Contents())

    public init() {}

    /// From now on every method throws this; `nil` ends it.
    public func fail(with failure: InboxError?) {
        contents.withLock { $0.failure = failure }
    }

    public func store(
        _ arrivals: [Arrival], at now: Timestamp, clock: ClockTrust
    ) throws(InboxError) -> [ArrivalOutcome] {
        try contents.withLock { contents throws(InboxError) in
            try contents.check()
            return arrivals.map { Self.store($0, at: now, clock: clock, in: &contents) }
        }
    }

    private static func store(
        _ arrival: Arrival, at now: Timestamp, clock: ClockTrust, in contents: inout Contents
    ) -> ArrivalOutcome {
        switch arrival {
        case .rejection(let rejection):
            contents.write(Receipt(id: rejection.id, state: .rejected, at: now, reason: rejection.description))
            return .rejected(rejection)
        case .notice(let notice):
            if let known = contents.entries.first(where: { $0.notice.id == notice.id }) {
                let differs = known.notice.money == notice.money ? nil : known.notice.money
                let reason = differs.map { "the id is known with another amount: \($0)" }
                contents.write(Receipt(id: notice.id, state: .duplicate, at: now, reason: reason))
                return .duplicate(notice, differs: differs)
            }
            let sequence = (contents.entries.last?.sequence ?? 0) + 1
            let entry = InboxEntry(
                sequence: sequence, notice: notice, receivedAt: now, clock: clock, state: .received)
            contents.entries.append(entry)
            contents.write(Receipt(id: notice.id, state: .stored, at: now))
            return .stored(entry)
        }
    }

    public func waiting(limit: Int) throws(InboxError) -> [InboxEntry] {
        try contents.withLock { contents throws(InboxError) in
            try contents.check()
            return Array(contents.entries.filter(\.isWaiting).prefix(limit))
        }
    }

    public func markAnnouncing(_ entries: [InboxEntry]) throws(InboxError) -> [InboxEntry] {
        try contents.withLock { contents throws(InboxError) in
            try contents.check()
            return entries.filter { entry in
                let index = contents.entries.firstIndex { $0.sequence == entry.sequence && $0.isWaiting }
                if let index { contents.entries[index].state = .announcing }
                return index != nil
            }
        }
    }

    public func markAnnounced(_ entry: InboxEntry, at now: Timestamp) throws(InboxError) {
        try end([entry], as: .announced) { Receipt(id: $0.notice.id, state: .announced, at: now) }
    }

    public func markExpired(_ entries: [InboxEntry], inSummary: Bool, at now: Timestamp) throws(InboxError) {
        guard let first = entries.first?.sequence else { return }
        try end(entries, as: .expired) {
            .expired($0.notice.id, count: entries.count, first: first, inSummary: inSummary, at: now)
        }
    }

    public func cancel(_ id: PaymentID, at now: Timestamp) throws(InboxError) -> CancelOutcome {
        try contents.withLock { contents throws(InboxError) in
            try contents.check()
            return Self.cancel(id, at: now, in: &contents)
        }
    }

    private static func cancel(_ id: PaymentID, at now: Timestamp, in contents: inout Contents) -> CancelOutcome {
        guard let index = contents.entries.firstIndex(where: { $0.notice.id == id }) else { return .unknown }
        let entry = contents.entries[index]
        guard entry.state == .received else { return .tooLate(entry.state) }
        contents.entries[index].state = .cancelled
        contents.write(Receipt(id: id, state: .cancelled, at: now))
        return .cancelled(entry)
    }

    public func knows(_ id: PaymentID) throws(InboxError) -> Bool {
        try contents.withLock { contents throws(InboxError) in
            try contents.check()
            return contents.entries.contains { $0.notice.id == id }
        }
    }

    public func take(
        _ commands: [CommandArrival], at now: Timestamp, earliest: Timestamp?
    ) throws(InboxError) -> [CommandOutcome] {
        try contents.withLock { contents throws(InboxError) in
            try contents.check()
            let outcomes = commands.map { Self.take($0, at: now, in: &contents) }
            if let earliest { contents.commands.removeAll { $0.expiry < earliest } }
            contents.commands.removeFirst(max(0, contents.commands.count - CommandID.limit))
            return outcomes
        }
    }

    private static func take(
        _ command: CommandArrival, at now: Timestamp, in contents: inout Contents
    ) -> CommandOutcome {
        switch command {
        case .once(let id, let expiry):
            guard !contents.commands.contains(where: { $0.id == id }) else { return .duplicate }
            contents.commands.append((id, expiry))
            return .isNew
        case .cancel(let id): return .cancellation(cancel(id, at: now, in: &contents))
        case .refused(let id, let reason):
            contents.write(Receipt(.command(id), state: .rejected, at: now, reason: reason))
            return .refused
        }
    }

    private func end(
        _ entries: [InboxEntry], as state: NoticeState, receipt: (InboxEntry) -> Receipt
    ) throws(InboxError) {
        try contents.withLock { contents throws(InboxError) in
            try contents.check()
            for entry in entries {
                guard
                    let index = contents.entries.firstIndex(where: {
                        $0.sequence == entry.sequence && $0.isWaiting
                    })
                else { continue }
                contents.entries[index].state = state
                contents.write(receipt(entry))
            }
        }
    }

    public func distrustArrivalTimes() throws(InboxError) {
        try contents.withLock { contents throws(InboxError) in
            try contents.check()
            for index in contents.entries.indices
            where contents.entries[index].isWaiting && contents.entries[index].clock == .unconfirmed {
                contents.entries[index].clock = .none
            }
        }
    }

    public func lastAnnounced(skipping count: Int) throws(InboxError) -> InboxEntry? {
        try contents.withLock { contents throws(InboxError) in
            try contents.check()
            return contents.entries.filter { $0.state == .announced }.dropLast(count).last
        }
    }

    public func payments(since start: Timestamp) throws(InboxError) -> [Money] {
        try contents.withLock { contents throws(InboxError) in
            try contents.check()
            return contents.entries
                .filter { $0.receivedAt >= start && $0.notice.kind == .payment && $0.state != .cancelled }
                .map(\.notice.money)
        }
    }

    public func counts() throws(InboxError) -> InboxCounts {
        try contents.withLock { contents throws(InboxError) in
            try contents.check()
            return InboxCounts(
                waiting: contents.entries.count(where: \.isWaiting),
                announced: contents.entries.count { $0.state == .announced },
                receiptsWaiting: contents.receipts.count)
        }
    }

    public func receipts(after sequence: Int64, limit: Int) throws(InboxError) -> [OutgoingReceipt] {
        try contents.withLock { contents throws(InboxError) in
            try contents.check()
            return Array(contents.receipts.filter { $0.sequence > sequence }.prefix(limit))
        }
    }

    public func removeReceipts(_ sequences: [Int64]) throws(InboxError) {
        try contents.withLock { contents throws(InboxError) in
            try contents.check()
            contents.receipts.removeAll { sequences.contains($0.sequence) }
        }
    }
}

extension InboxEntry {
    fileprivate var isWaiting: Bool { state == .received || state == .announcing }
}

extension InMemoryInbox: InboxUpkeep {
    /// Nothing in memory is of an older version, grows for years, or was salvaged.
    public func seal(after sequence: Int64) throws(InboxError) -> Int64? { nil }

    public func prune(_ retention: Retention, now: Timestamp?) throws(InboxError) -> PruningStep { PruningStep() }

    public func salvageWasTold() throws(InboxError) {}
}
