import SoundboxCore

extension Salvage {
    /// What the rows have shown so far.
    struct Findings {
        var waitingIsWhole = false
        /// A row waits, or the end of the history could be read: no table has anything newer than ``lastNotice``.
        var newestIsCertain = false
        /// The disk has too little room for ended payments.
        var lacksRoom = false
        var lastNotice: Int64 = 0
        var lastReceipt: Int64 = 0
        /// Payments are announced in order, so none below this number waits.
        var lastEnded: Int64 = 0
        /// The newest payment that was announced by itself.
        var lastHeard: Int64 = 0
        var latestArrival = Timestamp(millisecondsSince1970: 0)
        /// For replay, and for the count of all announcements.
        var lastAnnounced: NoticeRecord?

        mutating func note(_ row: SavedRow) {
            switch row {
            case .waiting(let record):
                lastNotice = max(lastNotice, record.entry.sequence)
                newestIsCertain = true
            case .receipt(let record): lastReceipt = max(lastReceipt, record.sequence)
            case .notice(let record):
                let sequence = record.entry.sequence
                lastNotice = max(lastNotice, sequence)
                latestArrival = max(latestArrival, record.entry.receivedAt)
                let isPayment = record.entry.notice.kind == .payment
                if isPayment, record.entry.state == .announced || record.entry.state == .expired {
                    lastEnded = max(lastEnded, sequence)
                }
                guard record.entry.state == .announced else { return }
                if isPayment { lastHeard = max(lastHeard, sequence) }
                let last = (lastAnnounced?.announcedNumber ?? 0, lastAnnounced?.entry.sequence ?? 0)
                if (record.announcedNumber ?? 0, sequence) > last { lastAnnounced = record }
            }
        }

        /// Nothing up to this number waits, unless it was saved with the waiting payments.
        ///
        /// If the table `waiting` is complete, that is everything that it contains. But on a card that loses writes,
        /// its page may be an old one: an id that only the index has, and that is newer than every row, was never
        /// heard.
        var lastNotWaiting: Int64 {
            guard waitingIsWhole else { return lastEnded }
            return newestIsCertain ? max(lastNotice, lastEnded) : maximumSequence
        }

        /// Whether the row says that it waits and nothing says that it was heard: payments are announced in order.
        func isNotHeard(_ record: NoticeRecord) -> Bool {
            record.isWaiting && (record.entry.notice.kind != .payment || record.entry.sequence > lastHeard)
        }
    }
}
