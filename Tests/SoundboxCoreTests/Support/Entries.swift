import SoundboxCore

/// Entries of an inbox, made for tests.
enum Entries {
    static let noon = Timestamp(millisecondsSince1970: 1_795_233_600_000)
    static let moment = moment(after: .zero)

    static func moment(after delay: Duration) -> Announcer.Moment {
        let time = Timestamp(millisecondsSince1970: noon.millisecondsSince1970 + Int64(delay / .milliseconds(1)))
        return Announcer.Moment(clock: ClockReading(time), minuteOfDay: 720)
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
