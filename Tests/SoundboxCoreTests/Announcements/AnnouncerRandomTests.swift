import SoundboxCore
import SoundboxTesting
import TestSupport
import Testing

/// Performs the announcer's actions against an inbox in memory, with a card and a disk that fail at random, and keeps
/// a record of what was heard.
private struct Box {
    let inbox = InMemoryInbox()
    var announcer: Announcer
    var random: SeededGenerator
    var now = Entries.noon
    var arrivals: Int64 = 0
    /// What the announcer waits for; at most one of these at any time, and a timer beside a prompt.
    var outstanding: Announcer.Action?
    var timerRuns = false
    /// Sequences in the order in which they were heard to the end, alone or in a summary.
    var heard: [Int64] = []
    var announcedAlone: Set<Int64> = []
    var isFinished = false
    var problems: [String] = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        announcer = Announcer(
            freshness: FreshnessPolicy(expireAfter: .seconds(600)), hurryAbove: [nil, 1, 3][Int(seed % 3)])
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func step() throws {
        now = Timestamp(millisecondsSince1970: now.millisecondsSince1970 + .random(in: 0...120_000, using: &random))
        if chance(30) { try arrive() }
        if chance(5) { send(.requested(.last)) }
        if chance(5) { send(.promptRequested(chance(50) ? .volumeMaximum : .volumeMinimum)) }
        if chance(60) { try answer(cardFails: chance(20), diskFails: chance(10)) }
    }

    /// Lets everything outstanding end well, then stops.
    mutating func settle() throws {
        send(.noticesMayWait)
        while outstanding != nil || timerRuns { try answer(cardFails: false, diskFails: false) }
        send(.stopRequested)
        if !isFinished { problems.append("did not finish") }
    }

    private mutating func arrive() throws {
        arrivals += 1
        let kind: PaymentNotice.Kind = chance(20) ? .refund : .payment
        let notice = PaymentNotice(id: try PaymentID("T\(arrivals)"), money: try Money("1", .CNY), kind: kind)
        _ = try inbox.store([.notice(notice)], at: now)
        send(.noticesMayWait)
    }

    private mutating func send(_ event: Announcer.Event) {
        for action in announcer.handle(event) {
            if isFinished { problems.append("\(action) after the end") }
            if let outstanding { problems.append("\(action) while \(outstanding) is outstanding") }
            switch action {
            case .wait where timerRuns: problems.append("a second timer")
            case .wait: timerRuns = true
            case .play(.prompt): outstanding = action
            case .finish: isFinished = true
            default:
                if timerRuns { problems.append("\(action) before the time has passed") }
                outstanding = action
            }
        }
    }

    private mutating func answer(cardFails: Bool, diskFails: Bool) throws {
        guard let action = outstanding, !timerRuns || chance(50) else {
            guard timerRuns else { return }
            timerRuns = false
            return send(.waited)
        }
        outstanding = nil
        switch action {
        case .fetch where diskFails, .recall(.last) where diskFails, .record where diskFails: send(.inboxFailed)
        case .fetch(let limit): send(.fetched(try inbox.waiting(limit: limit), now: now))
        case .recall: send(.recalled(.replay(try inbox.lastAnnounced())))
        case .begin(let job):
            if !diskFails { for entry in Self.entries(of: job) { _ = try inbox.markAnnouncing(entry) } }
            play(job, cardFails: cardFails)
        case .play(let job): play(job, cardFails: cardFails)
        case .record(.notice(let entry)):
            try inbox.markAnnounced(entry, at: now)
            send(.recorded)
        case .record(.summary(let entries)):
            try inbox.markExpired(entries, at: now)
            send(.recorded)
        case .expire(let entries):
            try inbox.markExpired(entries, inSummary: false, at: now)
            send(.recorded)
        case .record(.replay), .record(.today), .record(.prompt), .record(.network):
            problems.append("an answer is recorded")
        case .wait, .finish: break
        }
    }

    private mutating func play(_ job: Announcer.Job, cardFails: Bool) {
        if cardFails { return send(.playFailed) }
        heard += Self.entries(of: job).map(\.sequence)
        if case .notice(let entry) = job { announcedAlone.insert(entry.sequence) }
        send(.played)
    }

    private static func entries(of job: Announcer.Job) -> [InboxEntry] {
        switch job {
        case .notice(let entry): [entry]
        case .summary(let entries): entries
        case .replay, .today, .prompt, .network: []
        }
    }
}

@Suite("The announcer under random events", .timeLimit(.minutes(10)))
struct AnnouncerRandomTests {
    @Test(
        "Every notice is heard exactly once and in order of arrival, with never two actions outstanding",
        arguments: 1...40 as ClosedRange<UInt64>)
    func everyNoticeOnce(seed: UInt64) throws {
        var box = Box(seed: seed)
        for _ in 0..<400 { try box.step() }
        try box.settle()
        #expect(box.problems == [])
        #expect(box.arrivals > 50)
        #expect(box.heard == Array(1...box.arrivals))
        let counts = try box.inbox.counts()
        #expect(counts.waiting == 0)
        #expect(counts.announced == box.announcedAlone.count)
        #expect(counts.receiptsWaiting == Int(box.arrivals) * 2)
    }
}
