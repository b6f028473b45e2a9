import SoundboxBox
import SoundboxCore
import SoundboxSpeech

/// Entries of an inbox, made for tests.
enum Entries {
    static let noon = Timestamp(millisecondsSince1970: 1_795_233_600_000)
    static let moment = moment(after: .zero)
    /// A day on which nobody has paid.
    static let nothing = DayTotals.known(DayTakings(payments: 0, totals: []))

    static func moment(after delay: Duration) -> Announcer.Moment {
        let time = Timestamp(millisecondsSince1970: noon.millisecondsSince1970 + Int64(delay / .milliseconds(1)))
        return Announcer.Moment(clock: ClockReading(time))
    }

    static func entry(
        _ sequence: Int64, age: Duration = .zero, kind: PaymentNotice.Kind = .payment
    ) throws -> InboxEntry {
        let milliseconds = Int64(age / .milliseconds(1))
        let time = Timestamp(millisecondsSince1970: noon.millisecondsSince1970 - milliseconds)
        return InboxEntry(
            sequence: sequence,
            notice: PaymentNotice(
                id: try PaymentID("T\(sequence)"), money: Money(try DecimalNumber(whole: 1), .CNY), kind: kind,
                paidAt: time),
            receivedAt: time, state: .received)
    }
}

extension Announcer.Queue {
    /// What an inbox answers in which just these wait.
    static func of(
        _ entries: [InboxEntry], says: [Announcer.Say] = [], rings: [CustomMessageEntry] = []
    ) -> Announcer.Queue {
        let payments = entries.filter { $0.notice.kind == .payment }
        let others = [
            entries.first { $0.notice.kind == .refund },
            entries.first { $0.notice.kind != .refund && $0.notice.kind != .payment },
        ]
        return Announcer.Queue(
            notices: NoticeQueue(
                payments: payments, others: others.compactMap(\.self), lastPayment: payments.map(\.sequence).max()),
            says: says, rings: rings)
    }
}

extension Announcer.Say {
    /// One that is ready.
    static func ready(_ sequence: Int64, age: Duration = .zero) throws -> Announcer.Say {
        try Announcer.Say(.say(sequence, age: age), .ready(.words("S\(sequence)")))
    }
}

extension CustomMessageEntry {
    static func say(_ sequence: Int64, age: Duration = .zero) throws -> CustomMessageEntry {
        let time = Timestamp(
            millisecondsSince1970: Entries.noon.millisecondsSince1970 - Int64(age / .milliseconds(1)))
        let customMessage = CustomMessage(
            id: try CommandID("S\(sequence)"), purpose: .say, content: .text("S\(sequence)"), at: time)
        return CustomMessageEntry(sequence: sequence, customMessage: customMessage, receivedAt: time)
    }
}

extension CustomMessageEntry {
    static func ring(_ sequence: Int64, timeout: Duration = .seconds(30)) throws -> CustomMessageEntry {
        let customMessage = CustomMessage(
            id: try CommandID("R\(sequence)"), purpose: .ring(timeout: timeout), content: .tone, at: Entries.noon)
        return CustomMessageEntry(sequence: sequence, customMessage: customMessage, receivedAt: Entries.noon)
    }
}

extension AnnouncementScript {
    static func words(_ text: String) -> AnnouncementScript { AnnouncementScript(text: text, elements: [.phrase(0)]) }
}
