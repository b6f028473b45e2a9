import SoundboxBox
import SoundboxCore
import SoundboxSpeech
import SoundboxTesting
import TestSupport
import Testing

/// Performs the announcer's actions against a real inbox, with a card and a disk that fail at random, and keeps
/// a record of what was heard.
private struct Box {
    let inbox = TemporaryInbox()
    /// Whether some answers are exchanged for others.
    var isConfused = false
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
    var refunds: Set<Int64> = []
    var cancelled: Set<Int64> = []
    /// Whether the inbox knows that what is about to play is being announced. Otherwise it may be cancelled meanwhile.
    var isNoted = false
    var mismatches = 0
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
        if chance(10) { try cancel() }
        if chance(5) { send(.requested(chance(50) ? .last : .today)) }
        if chance(5) { send(.promptRequested(chance(50) ? .volumeMaximum : .volumeMinimum)) }
        if chance(20) { send(.lookDue) }
        if chance(60) { try answer(cardFails: chance(20), diskFails: chance(10)) }
    }

    /// Lets everything outstanding end well, then stops.
    mutating func settle() throws {
        isConfused = false
        send(.somethingMayWait)
        while outstanding != nil || timerRuns { try answer(cardFails: false, diskFails: false) }
        send(.stopRequested)
        if !isFinished { problems.append("did not finish") }
    }

    private mutating func arrive() throws {
        arrivals += 1
        let kind: PaymentNotice.Kind = chance(20) ? .refund : .payment
        if kind == .refund { refunds.insert(arrivals) }
        let notice = PaymentNotice(id: try PaymentID("T\(arrivals)"), money: try Money("1", .CNY), kind: kind)
        _ = try inbox.store([.notice(notice)], at: now)
        send(.somethingMayWait)
    }

    /// As the provider may at any time; whether it counts is the inbox's to say.
    private mutating func cancel() throws {
        guard arrivals > 0 else { return }
        let sequence = Int64.random(in: max(1, arrivals - 5)...arrivals, using: &random)
        if case .cancelled = try inbox.cancel(try PaymentID("T\(sequence)"), at: now) { cancelled.insert(sequence) }
    }

    private mutating func send(_ event: Announcer.Event) {
        for action in announcer.handle(event) {
            if isFinished { problems.append("\(action) after the end") }
            if let outstanding, action.isAnswered { problems.append("\(action) while \(outstanding) is outstanding") }
            switch action {
            case .wait where timerRuns: problems.append("a second timer")
            case .wait: timerRuns = true
            case .play(let announcement) where announcement.job.isAnswer: outstanding = action
            case .play(let announcement):
                for entry in announcement.job.entries where isNoted && cancelled.contains(entry.sequence) {
                    problems.append("\(entry.sequence) is spoken after it was cancelled")
                }
                outstanding = action
            case .finish: isFinished = true
            case .report(let mismatch):
                mismatches += 1
                if !isConfused { problems.append("\(mismatch)") }
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
        if isConfused, chance(15) {
            // Done or not done, whoever performs it says something else.
            if chance(50) { _ = try perform(action, cardFails: cardFails, diskFails: diskFails) }
            let answers: [Announcer.Event] = [
                .prepared, .noted, .withdrawn(rest: []), .played(.aloud), .recorded,
                .recalled(.takings(Entries.nothing), moment),
                .waited, .looked,
            ]
            // One that fits would be a lie, which nobody can tell from the truth.
            let wrong = answers.filter { !$0.fits(action) && !($0 == .waited && timerRuns) }
                .randomElement(using: &random)
            send(wrong ?? .noted)
            // A timer that was never set ends nothing: the right answer still comes.
            if wrong == .waited { outstanding = action }
            return
        }
        if let event = try perform(action, cardFails: cardFails, diskFails: diskFails) { send(event) }
    }

    private var moment: Announcer.Moment { Announcer.Moment(clock: ClockReading(now), minuteOfDay: 720) }

    private mutating func perform(
        _ action: Announcer.Action, cardFails: Bool, diskFails: Bool
    ) throws -> Announcer.Event? {
        switch action {
        case .note where diskFails:
            isNoted = false
            return .inboxFailed
        case .fetch where diskFails, .recall where diskFails, .record where diskFails:
            return .inboxFailed
        case .fetch(let limit): return .fetched(.init(notices: try inbox.queue(limit: limit)), moment)
        case .recall(.today): return .recalled(.takings(Entries.nothing), moment)
        case .recall: return .recalled(.announced(try inbox.lastAnnounced()), moment)
        case .look: return .looked
        case .prepare: return cardFails ? .playFailed : .prepared
        case .note(let entries):
            isNoted = true
            let rest = try inbox.markAnnouncing(entries)
            return rest.count == entries.count ? .noted : .withdrawn(rest: rest)
        case .play(let announcement): return play(announcement.job, cardFails: cardFails)
        case .record(.notice(let entry), .aloud): try inbox.markAnnounced(entry, at: now)
        case .record(.summary(let entries), .aloud): try inbox.markExpired(entries, at: now)
        case .expire(let entries): try inbox.markExpired(entries, told: nil, at: now)
        case .record, .noteSounding, .end: problems.append("\(action) of nothing that was to be")
        case .wait, .finish, .report: return nil
        }
        return .recorded
    }

    private mutating func play(_ job: Announcer.Job, cardFails: Bool) -> Announcer.Event {
        if cardFails { return .playFailed }
        // A summary is told to its end.
        if case .notice(let entry) = job, cancelled.contains(entry.sequence) { return .stoppedEarly }
        heard += job.entries.map(\.sequence)
        if case .notice(let entry) = job { announcedAlone.insert(entry.sequence) }
        return .played(.aloud)
    }
}

extension Announcer.Event {
    fileprivate func fits(_ action: Announcer.Action) -> Bool {
        switch (action, self) {
        case (.play, .played(.aloud)), (.record, .recorded), (.expire, .recorded), (.note, .noted), (.note, .withdrawn),
            (.prepare, .prepared), (.look, .looked), (.recall(.today), .recalled):
            true
        default: false
        }
    }
}

extension Announcer.Action {
    /// Whether the announcer asks for one thing at a time of this kind.
    fileprivate var isAnswered: Bool {
        switch self {
        case .wait, .report, .finish: false
        default: true
        }
    }
}

@Suite("The announcer under random events", .timeLimit(.minutes(10)))
struct AnnouncerRandomTests {
    @Test(
        "Every notice that is not cancelled is heard exactly once, payments in order and refunds in order, and never are two actions outstanding",
        arguments: 1...40 as ClosedRange<UInt64>)
    func everyNoticeOnce(seed: UInt64) throws {
        var box = Box(seed: seed)
        for _ in 0..<600 { try box.step() }
        try box.settle()
        #expect(box.problems == [])
        #expect(box.arrivals > 50 && !box.cancelled.isEmpty)
        let heard = Set(box.heard)
        #expect(box.heard.count == heard.count)
        let payments = box.heard.filter { !box.refunds.contains($0) }
        #expect(payments == payments.sorted())
        let refunds = box.heard.filter(box.refunds.contains)
        #expect(refunds == refunds.sorted())
        #expect(heard.union(box.cancelled) == Set(1...box.arrivals))
        let counts = try box.inbox.counts()
        #expect(counts.waiting == 0)
        #expect(counts.announced == box.announcedAlone.subtracting(box.cancelled).count)
        #expect(counts.receiptsWaiting == Int(box.arrivals) * 2)
    }

    @Test(
        "Whatever it is answered, no notice is lost, and the box never stands still",
        arguments: 1...40 as ClosedRange<UInt64>)
    func confused(seed: UInt64) throws {
        var box = Box(seed: seed)
        box.isConfused = true
        for _ in 0..<600 { try box.step() }
        try box.settle()
        #expect(box.problems == [])
        #expect(box.mismatches > 5)
        #expect(Set(box.heard).union(box.cancelled) == Set(1...box.arrivals))
        #expect(try box.inbox.counts().waiting == 0)
    }
}
