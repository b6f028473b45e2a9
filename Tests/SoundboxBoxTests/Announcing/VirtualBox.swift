import SoundboxCore
import SoundboxTesting
import TestSupport

@testable import SoundboxBox

/// A box in virtual time: performs the announcer's actions against a real inbox, with a card and a disk that are
/// away at times, as the announcer's service does, and has a ledger watch what is heard.
struct VirtualBox {
    /// What happens later.
    private enum Coming { case wake, ringEnds, cardIsBack, diskIsBack }

    let inbox = TemporaryInbox()
    var ledger = AudienceLedger()
    var random: SeededGenerator
    /// Milliseconds since noon.
    private(set) var now: Int64 = 0
    /// How often in a hundred times the card or the disk fails for a moment.
    var failures = 0

    private let saysExpireAfter: Duration
    private let hurryAbove: Int?
    private var announcer: Announcer
    private var outstanding: (action: Announcer.Action, due: Int64)?
    private var timer: Int64?
    private var coming: [(time: Int64, what: Coming)] = []
    private var isFinished = false
    private var cardIsAway = false
    private var diskIsAway = false
    private(set) var isHeld = false
    /// What a cancel has told the service since the inbox was read, as ``Sounding`` keeps it there.
    private var hushed: Set<String> = []
    private var endsEarly = false
    private var doesNotBegin = false
    private var speeches: [String: (ready: Int64, speech: Announcer.Speech)] = [:]
    private(set) var notices = 0
    /// Of the notices, in order.
    private(set) var ids: [PaymentID] = []
    private(set) var says = 0

    init(seed: UInt64, saysExpireAfter: Duration = .seconds(300)) {
        random = SeededGenerator(seed: seed)
        self.saysExpireAfter = saysExpireAfter
        hurryAbove = [nil, 1, 3][Int(seed % 3)]
        announcer = Self.announcer(saysExpireAfter, hurryAbove)
    }

    private static func announcer(_ saysExpireAfter: Duration, _ hurryAbove: Int?) -> Announcer {
        Announcer(
            freshness: FreshnessPolicy(expireAfter: .seconds(600)), saysExpireAfter: saysExpireAfter,
            hurryAbove: hurryAbove)
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    private mutating func milliseconds(_ range: ClosedRange<Int64>) -> Int64 { .random(in: range, using: &random) }

    var time: Timestamp { Timestamp(millisecondsSince1970: Entries.noon.millisecondsSince1970 + now) }
    private var expiry: Timestamp { Timestamp(millisecondsSince1970: time.millisecondsSince1970 + 86_400_000) }
    private var moment: Announcer.Moment { Announcer.Moment(clock: ClockReading(time), minuteOfDay: 720) }

    // MARK: What comes from outside. What comes while the disk is away stays with its sender.

    mutating func arrive(_ kind: PaymentNotice.Kind) throws {
        guard !diskIsAway else { return }
        notices += 1
        let notice = PaymentNotice(id: try PaymentID("N\(notices)"), money: try Money("1", .CNY), kind: kind)
        ids.append(notice.id)
        for case .stored(let entry) in try inbox.store([.notice(notice)], at: time) {
            ledger.arrived(entry, at: now)
        }
        send(.somethingMayWait)
    }

    /// - Parameter speech: what there will be to hear of it.
    mutating func say(readyAfter delay: Int64 = 0, _ speech: Announcer.Speech? = nil) throws {
        guard !diskIsAway else { return }
        says += 1
        let id = "S\(says)"
        let errand = Errand(id: try CommandID(id), purpose: .say, content: .text(id), at: time)
        let arrival = CommandArrival.errand(errand, expiry: expiry, onlyWhenNoRing: false)
        guard case .accepted(let entry)? = try inbox.take([arrival], at: time).first else { return }
        speeches[id] = (now + delay, speech ?? .ready(.words(id)))
        ledger.arrived(entry, readyAt: now + delay)
        if delay > 0 { schedule(.wake, at: now + delay) }
        send(.somethingMayWait)
    }

    /// As the service and whoever commits it do it: hushed before and after.
    mutating func cancel(_ target: CancelTarget) throws {
        guard !diskIsAway else { return }
        hush(target)
        if case .cancelled(_, let moment)? = try inbox.take([.cancel(target, expiry: expiry)], at: time).first,
            moment != .beforeItCame
        {
            ledger.cancelled(target.text)
        }
        hush(target)
        send(.somethingMayWait)
    }

    /// What sounds alone and may be cancelled.
    var sounding: CancelTarget? {
        guard case .play(let announcement)? = outstanding?.action else { return nil }
        switch announcement.job {
        case .notice(let entry): return .payment(entry.notice.id)
        case .say(let entry, _, _): return .errand(entry.errand.id)
        default: return nil
        }
    }

    private mutating func hush(_ target: CancelTarget) {
        hushed.insert(target.text)
        guard let (action, due) = outstanding, case .play(let announcement) = action,
            announcement.job.targets == [target.text], !endsEarly
        else { return }
        endsEarly = true
        outstanding = (action, min(due, now + milliseconds(0...800)))
    }

    mutating func ask(_ event: Announcer.Event) {
        ledger.asked(event)
        send(event)
    }

    mutating func ring(for time: Int64) {
        guard !isHeld else { return }
        isHeld = true
        schedule(.ringEnds, at: now + time)
        send(.held(true))
    }

    mutating func loseCard(for time: Int64) {
        guard !cardIsAway else { return }
        cardIsAway = true
        schedule(.cardIsBack, at: now + time)
    }

    mutating func loseDisk(for time: Int64) {
        guard !diskIsAway else { return }
        diskIsAway = true
        schedule(.diskIsBack, at: now + time)
    }

    /// In good order, or as a power cut does it.
    mutating func restart(inGoodOrder: Bool) {
        if inGoodOrder {
            send(.stopRequested)
            for _ in 0..<100 where !isFinished { step() }
            if !isFinished { ledger.problems.append("it did not stop") }
        }
        (outstanding, timer, isFinished, endsEarly, hushed) = (nil, nil, false, false, [])
        announcer = Self.announcer(saysExpireAfter, hurryAbove)
        ledger.restarted()
        if isHeld { send(.held(true)) }
        send(.somethingMayWait)
    }

    // MARK: Time

    private mutating func schedule(_ what: Coming, at time: Int64) {
        coming.insert((time, what), at: coming.firstIndex { $0.time > time } ?? coming.endIndex)
    }

    mutating func pass(_ time: Int64) {
        let end = now + time
        while let next = nextTime, next <= end { step() }
        now = end
    }

    /// Lets everything be said that waits.
    mutating func settle() {
        failures = 0
        send(.somethingMayWait)
        for _ in 0..<1_000_000 where nextTime != nil { step() }
        if nextTime != nil { ledger.problems.append("it does not come to rest") }
        send(.stopRequested)
        if !isFinished { ledger.problems.append("it did not finish") }
    }

    private var nextTime: Int64? { [outstanding?.due, timer, coming.first?.time].compactMap(\.self).min() }

    private mutating func step() {
        guard let next = nextTime else { return }
        now = max(now, next)
        if let first = coming.first, first.time <= now {
            coming.removeFirst()
            return happen(first.what)
        }
        if let (action, due) = outstanding, due <= now {
            outstanding = nil
            do { send(try perform(action)) } catch { ledger.problems.append("\(error)") }
        } else {
            timer = nil
            send(.waited)
        }
    }

    private mutating func happen(_ what: Coming) {
        switch what {
        case .wake: send(.somethingMayWait)
        case .ringEnds:
            isHeld = false
            send(.held(false))
        case .cardIsBack: cardIsAway = false
        case .diskIsBack: diskIsAway = false
        }
    }

    // MARK: The announcer

    private mutating func send(_ event: Announcer.Event) {
        for action in announcer.handle(event) {
            if isFinished { ledger.problems.append("\(action) after the end") }
            switch action {
            case .wait(let time):
                if timer != nil { ledger.problems.append("a second timer") }
                timer = now + Int64(time / .milliseconds(1))
            case .report(let mismatch): ledger.problems.append("\(mismatch)")
            case .finish: isFinished = true
            default:
                if let outstanding { ledger.problems.append("\(action) while \(outstanding.action)") }
                begin(action)
            }
        }
    }

    private mutating func begin(_ action: Announcer.Action) {
        guard case .play(let announcement) = action else {
            if timer != nil { ledger.problems.append("\(action) before the time has passed") }
            let isCard = action == .prepare || action == .look
            outstanding = (action, now + milliseconds(isCard ? 10...150 : 2...30))
            return
        }
        doesNotBegin = announcement.job.targets.contains(where: hushed.contains) && announcement.job.targets.count == 1
        if doesNotBegin {
            outstanding = (action, now)
            return
        }
        // What is said of a disk that fails, or over a ring, is under another rule.
        ledger.begins(announcement.job, at: now, holdsUp: timer == nil && !isHeld)
        outstanding = (action, now + milliseconds(announcement.job.isAnswer ? 800...3000 : 1500...4500))
    }

    private mutating func perform(_ action: Announcer.Action) throws -> Announcer.Event {
        let fails = chance(failures)
        let (diskFails, cardFails) = (diskIsAway || fails, cardIsAway || fails)
        switch action {
        case .prepare: return cardFails ? .playFailed : .prepared
        case .look: return .looked
        case .play(let announcement): return ended(announcement.job, cardFails: cardFails)
        case _ where diskFails: return .inboxFailed
        case .fetch(let limit):
            hushed = []
            let says = try inbox.errands().map { Announcer.Say($0, speech(of: $0.errand.id.text)) }
            return .fetched(Announcer.Queue(notices: try inbox.queue(limit: limit), says: says), moment)
        case .recall(.last), .recall(.beforeLast): return .recalled(.announced(try inbox.lastAnnounced()), moment)
        case .recall(.network): return .recalled(.network(isOnline: true, address: []), moment)
        case .recall: return .recalled(.takings(Entries.nothing), moment)
        case .note(let entries):
            let rest = try inbox.markAnnouncing(entries)
            return rest.count == entries.count ? .noted : .withdrawn(rest: rest)
        case .noteSounding(let entry): return try inbox.markSounding(entry) ? .noted : .withdrawn(rest: [])
        case .record(.notice(let entry), let manner): try inbox.markAnnounced(entry, as: manner, at: time)
        case .record(.summary(let entries), let manner): try inbox.markExpired(entries, told: manner, at: time)
        case .expire(let entries): try inbox.markExpired(entries, told: nil, at: time)
        case .end(let entry, let end):
            if try inbox.end(entry, as: end, at: time) { ledger.ended(entry) }
        case .record, .wait, .report, .finish: ledger.problems.append("\(action) of nothing that was to be")
        }
        return .recorded
    }

    private func speech(of id: String) -> Announcer.Speech {
        guard let (ready, speech) = speeches[id], ready <= now else { return .pending }
        return speech
    }

    private mutating func ended(_ job: Announcer.Job, cardFails: Bool) -> Announcer.Event {
        if doesNotBegin {
            endsEarly = false
            return .withdrawn(rest: [])
        }
        if endsEarly {
            endsEarly = false
            ledger.stoppedEarly(job)
            return .stoppedEarly
        }
        if cardFails {
            ledger.broke(off: job)
            return .playFailed
        }
        ledger.heard(job)
        if case .say = job, chance(failures) { return .saidOtherwise(reason: "a recording was lost") }
        return .played(.aloud)
    }
}

extension CancelTarget {
    var text: String {
        switch self {
        case .payment(let id): id.text
        case .errand(let id): id.text
        }
    }
}

extension Announcer.Job {
    /// The ids of what it tells of for the first time.
    var targets: [String] {
        if case .say(let entry, _, _) = self { return [entry.errand.id.text] }
        return entries.map(\.notice.id.text)
    }

    var rank: Rank {
        switch self {
        case .notice(let entry): Rank(entry.notice.kind)
        case .summary: .payment
        case .say: .text
        case .prompt: .prompt
        default: .request
        }
    }
}
