import SoundboxCore
import Testing

@testable import SoundboxGateway

@Suite("When a payment is published again")
struct DeliveryRulesTests {
    private func time(_ seconds: Int) -> Duration { .seconds(seconds) }

    private func payment(publishedAt: Int?, resends: Int = 0, epoch: Int? = 3) -> DeliveryRules.Waiting {
        DeliveryRules.Waiting(
            accepted: .zero, published: publishedAt.map(time), resends: resends, sessionEpoch: epoch)
    }

    private func box(onlineSince: Int?, epoch: Int? = 3) -> KnownBox {
        var box = KnownBox()
        box.onlineSince = onlineSince.map(time)
        box.sessionEpoch = epoch
        return box
    }

    private func next(
        _ payment: DeliveryRules.Waiting, _ box: KnownBox?, listeningSince: Int = -1000, at now: Int
    ) -> DeliveryRules.Step {
        // Its status is fresh, unless the test says something else.
        var box = box
        if box?.seen == nil { box?.seen = time(now) }
        return DeliveryRules.next(payment, to: box, listeningSince: time(listeningSince), at: time(now))
    }

    @Test("What the broker has not acknowledged is published, wherever the box is")
    func unacknowledged() {
        #expect(next(payment(publishedAt: nil), nil, at: 0) == .publish)
        #expect(next(payment(publishedAt: nil), box(onlineSince: nil), at: 0) == .publish)
        #expect(next(payment(publishedAt: nil), box(onlineSince: -5), at: 0) == .publish)
    }

    @Test("What the broker keeps for a box that is away gets no copy, however long it takes")
    func away() {
        let end = DeliveryRules.Step.wait(until: time(72 * 3600))
        for now in [31, 3600, 71 * 3600] {
            #expect(next(payment(publishedAt: 1), box(onlineSince: nil), at: now) == end)
            #expect(next(payment(publishedAt: 1), nil, at: now) == end)
            // Also when its session has risen: the status of its end says so, and nothing is there to hear it.
            #expect(next(payment(publishedAt: 1), box(onlineSince: nil, epoch: 4), at: now) == end)
        }
    }

    @Test(
        "A box that is online gets it again after 30 s without a receipt, then after twice as long, up to 5 minutes",
        arguments: [(0, 30), (1, 60), (2, 120), (3, 240), (4, 300), (5, 300), (60, 300)])
    func online(resends: Int, wait: Int) {
        let payment = payment(publishedAt: 100, resends: resends)
        let due = 100 + wait
        #expect(next(payment, box(onlineSince: 0), at: due - 1) == .wait(until: time(due)))
        #expect(next(payment, box(onlineSince: 0), at: due) == .publish)
    }

    @Test("A box whose last status is more than three minutes old is away, although that status says online")
    func stale() {
        var box = box(onlineSince: 0)
        box.seen = time(20)
        #expect(next(payment(publishedAt: 100), box, at: 200) == .publish)
        #expect(next(payment(publishedAt: 100), box, at: 201) == .wait(until: time(72 * 3600)))
        // Its next status wakes what waits for it.
        let isAwake = box.apply(
            BoxStatus(isOnline: true, version: "1", voice: nil), at: .start + time(300), reconciles: false)
        #expect(isAwake)
        #expect(box.onlineSince == time(300))
        #expect(next(payment(publishedAt: 100, resends: 5), box, at: 301) == .wait(until: time(330)))
    }

    @Test("A box that comes back has 30 s for what waited at the broker, and so has a gateway that does")
    func cameBack() {
        #expect(next(payment(publishedAt: 0), box(onlineSince: 500), at: 500) == .wait(until: time(530)))
        #expect(next(payment(publishedAt: 0), box(onlineSince: 500), at: 530) == .publish)
        #expect(
            next(payment(publishedAt: 0), box(onlineSince: 10), listeningSince: 600, at: 600) == .wait(until: time(630))
        )
    }

    @Test("A box with a new session gets at once what was published before, once")
    func newSession() {
        #expect(next(payment(publishedAt: 1), box(onlineSince: 2, epoch: 4), at: 2) == .publish)
        #expect(next(payment(publishedAt: 1, epoch: nil), box(onlineSince: 2, epoch: 1), at: 2) == .publish)
        #expect(next(payment(publishedAt: 3, epoch: 4), box(onlineSince: 2, epoch: 4), at: 4) == .wait(until: time(33)))
    }

    @Test("After 72 hours it is given up, published or not")
    func givenUp() {
        #expect(next(payment(publishedAt: nil), nil, at: 72 * 3600) == .giveUp)
        #expect(next(payment(publishedAt: 1), box(onlineSince: 0), at: 72 * 3600) == .giveUp)
        #expect(next(payment(publishedAt: 1), nil, at: 72 * 3600 - 1) == .wait(until: time(72 * 3600)))
        // It looks at no payment later than that.
        let late = payment(publishedAt: 72 * 3600 - 10)
        #expect(next(late, box(onlineSince: 0), at: 72 * 3600 - 5) == .wait(until: time(72 * 3600)))
    }
}

@Suite("What a receipt makes of a payment")
struct ReceiptOutcomeTests {
    private let money: Money

    init() throws { money = try Money("12", .CNY) }

    private func outcome(
        _ state: Receipt.State, _ reason: String? = nil, in before: PaymentState
    ) -> DeliveryRules.Outcome { outcome(of: .init(state: state, reason: reason), in: before) }

    private func outcome(
        of answer: DeliveryRules.Answer, in before: PaymentState, hasFailedForAmount: Bool = false
    ) -> DeliveryRules.Outcome {
        DeliveryRules.outcome(of: answer, in: before, of: money, hasFailedForAmount: hasFailedForAmount)
    }

    private func duplicate(
        of state: Receipt.State, _ amount: String = "12", _ currency: Currency = .CNY
    ) throws -> DeliveryRules.Answer { .init(state: .duplicate, first: .init(state, try Money(amount, currency))) }

    @Test(
        "`stored` and `duplicate` end the waiting, also of what was given up",
        arguments: [
            PaymentState.accepted, .published, .failed, .givenUp,
        ])
    func stored(before: PaymentState) {
        #expect(outcome(.stored, in: before) == .becomes(.stored))
        #expect(outcome(.duplicate, "the id is known with another amount: 1 CNY", in: before) == .becomes(.stored))
    }

    @Test(
        "A receipt that comes late or twice takes nothing back",
        arguments: [
            PaymentState.announced, .expired, .cancelled,
        ])
    func late(before: PaymentState) {
        #expect(outcome(.stored, in: before) == .nothing)
        #expect(outcome(.duplicate, in: before) == .nothing)
        #expect(outcome(.rejected, "storage: lost", in: before) == .nothing)
        #expect(outcome(.rejected, "paid_at: too long ago", in: before) == .nothing)
        #expect(outcome(Receipt.State(rawValue: before.rawValue)!, in: before) == .nothing)
    }

    @Test("`announced` counts in every state, since the shop has heard it", arguments: PaymentState.allCases)
    func announced(before: PaymentState) {
        #expect(outcome(.announced, in: before) == (before == .announced ? .nothing : .becomes(.announced)))
    }

    @Test("A box that lost a payment gets it again; any other refusal ends it, unless a copy is on the box's disk")
    func rejected() {
        #expect(outcome(.rejected, "storage: damaged", in: .published) == .resend)
        #expect(outcome(.rejected, "storage: damaged", in: .stored) == .resend)
        #expect(outcome(.rejected, "amount: must be greater than zero", in: .published) == .becomes(.failed))
        #expect(outcome(.rejected, nil, in: .accepted) == .becomes(.failed))
        #expect(outcome(.rejected, "paid_at: too long ago", in: .stored) == .nothing)
    }

    @Test(
        "A duplicate that tells of the first message counts as that message's own receipt",
        arguments: [Receipt.State.stored, .announced, .expired, .cancelled], PaymentState.allCases)
    func first(state: Receipt.State, before: PaymentState) throws {
        #expect(outcome(of: try duplicate(of: state), in: before) == outcome(state, in: before))
        #expect(outcome(of: try duplicate(of: state, "12.00"), in: before) == outcome(state, in: before))
    }

    @Test(
        "Where the first message has another amount or currency, this payment has failed, whatever was said of it",
        arguments: [Receipt.State.stored, .announced, .expired, .cancelled], PaymentState.allCases)
    func anotherAmount(state: Receipt.State, before: PaymentState) throws {
        #expect(outcome(of: try duplicate(of: state, "12.01"), in: before) == .failsForAmount)
        #expect(outcome(of: try duplicate(of: state, "12", #require(Currency("USD"))), in: before) == .failsForAmount)
    }

    @Test("Once it has failed for its amount, every receipt is of the other amount, unless it says another thing")
    func failedForAmount() throws {
        for state in Receipt.State.allCases {
            let answer = DeliveryRules.Answer(state: state, how: "aloud", reason: "storage: lost")
            #expect(outcome(of: answer, in: .failed, hasFailedForAmount: true) == .nothing)
        }
        let again = try duplicate(of: .announced, "13")
        #expect(outcome(of: again, in: .failed, hasFailedForAmount: true) == .nothing, "it is told once")
        let same = try duplicate(of: .announced)
        #expect(outcome(of: same, in: .failed, hasFailedForAmount: true) == .becomes(.announced))
    }
}
