import SoundboxCore

/// Something that the box says.
public enum Utterance: Sendable, Equatable {
    case payment(Money, channel: String?)
    case refund(Money)
    /// News of a kind that the voice defines, with the values for its placeholder.
    case kind(KindName, amount: Money?, number: Int64?)
    /// A repeated payment or refund. It must not sound like a new one.
    indirect case replay(Utterance)
    /// Payments that waited too long, with the total of each currency; no totals when they are too large to be read.
    case lateSummary(count: Int, totals: [Money])
    /// The takings of the current business day, with the total of each currency; no totals when they cannot be read.
    case today(count: Int, totals: [Money])
    /// The same with the refunds of that day.
    case dayTakings(DayTakings)
    case prompt(Prompt)
    /// Whether payments can arrive, and the box's IPv4 address; no octets when there is none.
    case network(isOnline: Bool, address: [UInt8])
    /// The code, digit by digit, that lets a phone onto the shop's page.
    case signInCode(SignInCode)

    public init(_ notice: PaymentNotice) {
        switch notice.kind {
        case .payment: self = .payment(notice.money, channel: notice.channel)
        case .refund: self = .refund(notice.money)
        case .other(let name): self = .kind(name, amount: notice.money, number: nil)
        }
    }

    /// The summary of these payments. Totals are in the order in which their currencies first occur.
    public static func lateSummary(of payments: [Money]) -> Utterance {
        .lateSummary(count: payments.count, totals: totals(of: payments))
    }

    /// One total for each currency; none at all when one is too large.
    private static func totals(of payments: [Money]) -> [Money] {
        var totals: [Money] = []
        for payment in payments {
            guard let index = totals.firstIndex(where: { $0.currency == payment.currency }) else {
                totals.append(payment)
                continue
            }
            guard let sum = try? totals[index].amount.adding(payment.amount) else { return [] }
            totals[index] = Money(sum, payment.currency)
        }
        return totals
    }
}

/// The recordings, pauses and sounds of an utterance, in the order of playing.
public struct AnnouncementScript: Sendable, Equatable {
    public enum Element: Sendable, Equatable {
        /// A recording, by its index in the voice's list of phrases.
        case phrase(Int)
        case pause(Duration)
        /// Sound that is not a recording of the voice.
        case sound(PCMSound)
    }

    /// The words, for logs and people: 支付宝到账,一百二十三点四五元.
    public var text: String
    public var elements: [Element]
    /// Which elements say one amount or one count, in order. Stopping inside such a range would leave another number.
    public var amountRanges: [Range<Int>]
    /// Why the script does not say everything: it lacks the amount, or the currency. `nil` when it is complete.
    public var shortcoming: SpeechError?
    /// Whether it speaks of money without saying how much.
    public var lacksAmount: Bool

    public init(
        text: String, elements: [Element], amountRanges: [Range<Int>] = [], shortcoming: SpeechError? = nil,
        lacksAmount: Bool = false
    ) {
        self.text = text
        self.elements = elements
        self.amountRanges = amountRanges
        self.shortcoming = shortcoming
        self.lacksAmount = lacksAmount
    }

    /// This script, followed by another one. The shortcoming and ``lacksAmount`` are this one's.
    /// - Parameter rest: silence between the two; none if either has no elements.
    public func followed(by other: AnnouncementScript, after rest: Duration) -> AnnouncementScript {
        var whole = self
        if !text.isEmpty, !other.text.isEmpty { whole.text += " " }
        whole.text += other.text
        if !elements.isEmpty, !other.elements.isEmpty { whole.elements.append(.pause(rest)) }
        let offset = whole.elements.count
        whole.elements += other.elements
        whole.amountRanges += other.amountRanges.map { $0.lowerBound + offset..<$0.upperBound + offset }
        return whole
    }

    /// Whether an amount or a count continues after this element.
    /// - Parameter index: of an element.
    public func amountGoesOn(behind index: Int) -> Bool {
        amountRanges.contains { $0.contains(index) && index + 1 < $0.upperBound }
    }

    /// Whether it contains a word or other sound.
    public var hasWords: Bool {
        elements.contains { element in
            switch element {
            case .phrase: true
            case .pause: false
            case .sound(let sound): !sound.samples.isEmpty
            }
        }
    }
}
