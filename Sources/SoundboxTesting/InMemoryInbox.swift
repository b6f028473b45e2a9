import SoundboxCore
import Synchronization

/// The inbox in memory: for tests of what happens around it, and as the model that the real one is held against.
public final class InMemoryInbox: Inbox {
    struct Contents {
        var entries: [InboxEntry] = []
        /// When and how entries ended, by their sequences.
        var ends: [Int64: (at: Timestamp, manner: Manner?)] = [:]
        /// Sequences of what was announced, in the order of the announcements.
        var announced: [Int64] = []
        var receipts: [OutgoingReceipt] = []
        /// Oldest first. `end` is how an errand ended.
        var commands: [(id: CommandID, expiry: Timestamp, end: Receipt.State?)] = []
        /// Those that have not ended, oldest first.
        var errands: [ErrandEntry] = []
        var lastErrand: Int64 = 0
        /// Oldest first.
        var cancelledBefore: [(id: CommandID, expiry: Timestamp)] = []
        var nextReceipt: Int64?
        let epoch = ReceiptEpoch.new()
        var failure: InboxError?

        mutating func write(_ receipt: Receipt) {
            let number = nextReceipt ?? receipt.at.millisecondsSince1970 + 1
            receipts.append(OutgoingReceipt(receipt, sequence: number, epoch: epoch))
            nextReceipt = number + 1
        }

        func check() throws(InboxError) {
            if let failure { throw failure }
        }
    }

    let contents = Mutex(Contents())

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
        case .notice(let notice, let remark):
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
            contents.write(Receipt(id: notice.id, state: .stored, at: now, reason: remark))
            return .stored(entry)
        }
    }

    public func waiting(limit: Int) throws(InboxError) -> [InboxEntry] {
        try contents.withLock { contents throws(InboxError) in
            try contents.check()
            return Array(contents.entries.filter(\.isWaiting).prefix(limit))
        }
    }

    public func queue(limit: Int) throws(InboxError) -> NoticeQueue {
        try contents.withLock { contents throws(InboxError) in
            try contents.check()
            let waiting = contents.entries.filter(\.isWaiting)
            let payments = waiting.filter { $0.notice.kind == .payment }
            let others = [
                waiting.first { $0.notice.kind == .refund },
                waiting.first { $0.notice.kind != .refund && $0.notice.kind != .payment },
            ]
            return NoticeQueue(
                payments: Array(payments.prefix(limit)), others: others.compactMap { $0 },
                lastPayment: payments.last?.sequence)
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

    public func markAnnounced(
        _ entry: InboxEntry, as manner: Manner, at now: Timestamp
    ) throws(InboxError) {
        try end([entry], as: .announced, manner, at: now) {
            Receipt(id: $0.notice.id, state: .announced, at: now, manner: manner)
        }
    }

    public func markExpired(
        _ entries: [InboxEntry], told manner: Manner?, at now: Timestamp
    ) throws(InboxError) {
        guard let first = entries.first?.sequence else { return }
        try end(entries, as: .expired, manner, at: now) {
            .expired($0.notice.id, count: entries.count, first: first, told: manner, at: now)
        }
    }

    public func cancel(_ id: PaymentID, at now: Timestamp) throws(InboxError) -> CancelOutcome {
        try contents.withLock { contents throws(InboxError) in
            try contents.check()
            return Self.cancel(id, at: now, in: &contents)
        }
    }

    static func cancel(_ id: PaymentID, at now: Timestamp, in contents: inout Contents) -> CancelOutcome {
        guard let index = contents.entries.firstIndex(where: { $0.notice.id == id }) else { return .unknown }
        let entry = contents.entries[index]
        guard entry.isWaiting else { return .tooLate(entry.state) }
        contents.entries[index].state = .cancelled
        contents.ends[entry.sequence] = (now, nil)
        contents.write(.cancelled(.payment(id), entry.cancelMoment, at: now))
        return .cancelled(entry)
    }

    public func knows(_ id: PaymentID) throws(InboxError) -> Bool {
        try contents.withLock { contents throws(InboxError) in
            try contents.check()
            return contents.entries.contains { $0.notice.id == id }
        }
    }

    private func end(
        _ entries: [InboxEntry], as state: NoticeState, _ manner: Manner?, at now: Timestamp,
        receipt: (InboxEntry) -> Receipt
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
                contents.ends[entry.sequence] = (now, manner)
                if state == .announced { contents.announced.append(entry.sequence) }
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
            for index in contents.errands.indices where contents.errands[index].clock == .unconfirmed {
                contents.errands[index].clock = .none
            }
        }
    }

    public func lastAnnounced(skipping count: Int) throws(InboxError) -> InboxEntry? {
        try contents.withLock { contents throws(InboxError) in
            try contents.check()
            let sequence = contents.announced.dropLast(count).last
            return contents.entries.first { $0.sequence == sequence }
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

    /// Nothing is put off in memory.
    public func settle() throws(InboxError) {
        try contents.withLock { contents throws(InboxError) in try contents.check() }
    }
}

extension InboxEntry {
    var isWaiting: Bool { state == .received || state == .announcing }
}

extension InMemoryInbox: InboxUpkeep {
    /// Nothing in memory grows for years, or was salvaged.
    public func prune(_ retention: Retention, now: Timestamp?) throws(InboxError) -> PruningStep { PruningStep() }

    public func salvageWasTold() throws(InboxError) {}
}
