import SoundboxCore
import SoundboxSpeech
import SoundboxTesting
import TestSupport

@testable import SoundboxBox

/// What happens to a virtual box.
protocol VirtualScenario: Sendable {
    /// Does the next thing to it.
    /// - Returns: after how many milliseconds the one after that comes; `nil` for never.
    mutating func act(on box: isolated VirtualBox) throws -> Int64?
}

/// A box in virtual time: the announcer over a real inbox, with a card and a disk that are away at times. A ledger
/// watches what is heard. Each call of the announcer takes its time, in which the scenario goes on.
actor VirtualBox: AnnouncerWork {
    /// What happens later.
    private enum Coming { case scenario, wake, press, cardIsBack, diskIsBack }

    let inbox = TemporaryInbox()
    var ledger = AudienceLedger()
    var random: SeededGenerator
    /// Milliseconds since noon.
    private(set) var elapsed: Int64 = 0
    /// How often in a hundred times the card or the disk fails for a moment.
    private var failures: Int

    private var scenario: any VirtualScenario
    private let makeAnnouncer: @Sendable (_ lastEarlierCustomMessage: Int64) -> Announcer
    var announcer: Announcer
    private(set) var requests = AnnouncerRequests()
    /// Something was asked for since the announcer last waited.
    private var isWoken = false
    private var coming: [(time: Int64, what: Coming)] = []
    private var isRestarting = false
    /// By a power cut: what the announcer does until it has ended does not happen.
    private var isOff = false
    private var cardIsAway = false
    private var diskIsAway = false
    /// The announcer's last call of the inbox failed.
    private var diskHasFailed = false
    private var ringing: CommandID?
    private var playing: (job: Announcer.Job, end: Int64)?
    private var endsEarly = false
    /// What a cancel has told the service since the inbox was read, as ``NowPlaying`` keeps it there.
    private var hushed: Set<String> = []
    private var speeches: [String: (ready: Int64, speech: Announcer.Speech)] = [:]
    private(set) var notices = 0
    /// Of the notices, in order.
    private(set) var ids: [PaymentID] = []
    private(set) var says = 0
    private(set) var rings = 0

    init(
        seed: UInt64, saysExpireAfter: Duration = .seconds(300), failures: Int = 0, _ scenario: any VirtualScenario
    ) {
        random = SeededGenerator(seed: seed)
        self.failures = failures
        self.scenario = scenario
        makeAnnouncer = { lastEarlierCustomMessage in
            Announcer(
                freshness: FreshnessPolicy(expireAfter: .seconds(600)), saysExpireAfter: saysExpireAfter,
                hurryAbove: [nil, 1, 3][Int(seed % 3)], lastEarlierCustomMessage: lastEarlierCustomMessage)
        }
        announcer = makeAnnouncer(0)
    }

    /// Lives through the scenario, and then until nothing waits any more.
    func live() async {
        schedule(.scenario, at: 0)
        repeat {
            (isRestarting, isOff, isWoken, diskHasFailed) = (false, false, false, false)
            (playing, endsEarly, hushed) = (nil, false, [])
            announcer = makeAnnouncer((try? inbox.customMessages().map(\.sequence).max()) ?? 0)
            requests = AnnouncerRequests()
            requests.inboxChanged()
            await Task { await announce() }.value
            if isRestarting { ledger.restarted(byPowerCut: isOff) }
        } while isRestarting
    }

    func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    private func milliseconds(_ range: ClosedRange<Int64>) -> Int64 { .random(in: range, using: &random) }

    var time: Timestamp { Timestamp(millisecondsSince1970: Entries.noon.millisecondsSince1970 + elapsed) }
    private var expiry: Timestamp { Timestamp(millisecondsSince1970: time.millisecondsSince1970 + 86_400_000) }
    var moment: Announcer.Moment { Announcer.Moment(clock: ClockReading(time)) }

    // MARK: What comes from outside. What comes while the disk is away stays with its sender.

    private func ask(_ body: (AnnouncerRequests) -> Void) {
        body(requests)
        isWoken = true
    }

    func arrive(_ kind: PaymentNotice.Kind) throws {
        guard !diskIsAway else { return }
        notices += 1
        let notice = PaymentNotice(id: try PaymentID("N\(notices)"), money: try Money("1", .CNY), kind: kind)
        ids.append(notice.id)
        for case .stored(let entry) in try inbox.store([.notice(notice)], at: time) {
            ledger.arrived(entry, at: elapsed)
        }
        ask { $0.inboxChanged() }
    }

    /// - Parameter speech: what there will be to hear of it.
    func say(readyAfter delay: Int64 = 0, _ speech: Announcer.Speech? = nil) throws {
        guard !diskIsAway else { return }
        says += 1
        let id = "S\(says)"
        let customMessage = CustomMessage(id: try CommandID(id), purpose: .say, content: .text(id), at: time)
        let arrival = CommandArrival.customMessage(customMessage, expiry: expiry, onlyWhenNoRing: false)
        guard case .accepted(let entry)? = try inbox.apply([arrival], at: time).first else { return }
        speeches[id] = (elapsed + delay, speech ?? .ready(.words(id)))
        ledger.arrived(entry, readyAt: elapsed + delay)
        if delay > 0 { schedule(.wake, at: elapsed + delay) }
        ask { $0.inboxChanged() }
    }

    /// As the service and whoever commits it do it: hushed before and after.
    func cancel(_ target: CancelTarget) throws {
        guard !diskIsAway else { return }
        hush(target)
        if case .cancelled(_, let moment)? = try inbox.apply([.cancel(target, expiry: expiry)], at: time).first,
            moment != .beforeItCame
        {
            ledger.cancelled(target.text)
        }
        hush(target)
        ask { $0.inboxChanged() }
    }

    /// What sounds alone and may be cancelled.
    var sounding: CancelTarget? {
        switch playing?.job {
        case .notice(let entry): .payment(entry.notice.id)
        case .say(let entry, _, _), .ring(let entry, _): .customMessage(entry.customMessage.id)
        default: nil
        }
    }

    /// A sentence ends with its word, a ring at once.
    private func hush(_ target: CancelTarget) {
        hushed.insert(target.text)
        guard let (job, end) = playing, job.targets == [target.text], !endsEarly else { return }
        endsEarly = true
        if case .ring = job { playing?.end = elapsed } else { playing?.end = min(end, elapsed + milliseconds(0...800)) }
    }

    func request(_ request: Announcer.Request) {
        ledger.asked(.request)
        ask { $0.play(request) }
    }

    func prompt(_ prompt: Prompt) {
        ledger.asked(.prompt)
        ask { $0.say(prompt) }
    }

    func checkCard() { ask { $0.checkDevice() } }

    /// - Parameter time: after which somebody presses the button.
    func ring(timeout: Duration, answeredAfter time: Int64) throws {
        guard !diskIsAway else { return }
        rings += 1
        let customMessage = CustomMessage(
            id: try CommandID("R\(rings)"), purpose: .ring(timeout: timeout), content: .tone, at: self.time)
        let arrival = CommandArrival.customMessage(customMessage, expiry: expiry, onlyWhenNoRing: false)
        guard case .accepted(let entry)? = try inbox.apply([arrival], at: self.time).first else { return }
        ledger.arrived(ring: entry)
        schedule(.press, at: elapsed + time)
        ask { $0.inboxChanged() }
    }

    private func press() {
        guard let ring = requests.answerRing() else { return }
        isWoken = true
        ledger.answered(ring.text)
        hush(.customMessage(ring))
    }

    func loseCard(for time: Int64) {
        guard !cardIsAway else { return }
        cardIsAway = true
        schedule(.cardIsBack, at: elapsed + time)
    }

    func loseDisk(for time: Int64) {
        guard !diskIsAway else { return }
        diskIsAway = true
        schedule(.diskIsBack, at: elapsed + time)
    }

    /// In good order, or as a power cut does it.
    func restart(inGoodOrder: Bool) {
        guard !isRestarting else { return }
        isRestarting = true
        if inGoodOrder { return ask { $0.stop() } }
        isOff = true
        withUnsafeCurrentTask { $0?.cancel() }
    }

    // MARK: Time

    private func schedule(_ what: Coming, at time: Int64) {
        coming.insert((time, what), at: coming.firstIndex { $0.time > time } ?? coming.endIndex)
    }

    private func pass(_ time: Int64) {
        let end = elapsed + time
        while !isOff, elapsed < end { step(until: end) }
    }

    /// Lets the next thing happen, if that is by then.
    private func step(until end: Int64) {
        guard let first = coming.first, first.time <= end else {
            elapsed = end
            return
        }
        elapsed = max(elapsed, first.time)
        coming.removeFirst()
        switch first.what {
        case .scenario: actScenario()
        case .wake: ask { $0.inboxChanged() }
        case .press: press()
        case .cardIsBack: cardIsAway = false
        case .diskIsBack: diskIsAway = false
        }
    }

    private func actScenario() {
        var scenario = scenario
        defer { self.scenario = scenario }
        do {
            if let delay = try scenario.act(on: self) { return schedule(.scenario, at: elapsed + delay) }
        } catch { ledger.problems.append("\(error)") }
        failures = 0
    }

    // MARK: The announcer's work

    var now: Duration { .milliseconds(elapsed) }

    func wait(atMost limit: Duration?) {
        let end = limit.map { elapsed + Int64($0 / .milliseconds(1)) }
        while !isWoken, !isOff, elapsed < end ?? .max {
            if let end { step(until: end) } else if let next = coming.first { step(until: next.time) } else { break }
        }
        // Nothing comes any more, and nothing waits.
        if !isWoken, end == nil { requests.stop() }
        isWoken = false
    }

    private func onDisk<Result>(_ body: () throws -> Result) throws(InboxError) -> Result {
        pass(milliseconds(2...30))
        diskHasFailed = isOff || diskIsAway || chance(failures)
        if !diskHasFailed {
            do { return try body() } catch { ledger.problems.append("\(error)") }
        }
        throw .failed(path: "inbox", reason: "it is away")
    }

    func read(limit: Int) throws(InboxError) -> Announcer.Reading {
        try onDisk {
            hushed = []
            let customMessages = try inbox.customMessages()
            let says = customMessages.filter { !$0.isRing }.map {
                Announcer.Say($0, speech(of: $0.customMessage.id.text))
            }
            let queue = Announcer.Queue(
                notices: try inbox.queue(limit: limit), says: says, rings: customMessages.filter(\.isRing))
            return Announcer.Reading(queue: queue, limit: limit, moment: moment)
        }
    }

    private func speech(of id: String) -> Announcer.Speech {
        guard let (ready, speech) = speeches[id], ready <= elapsed else { return .pending }
        return speech
    }

    func job(for request: Announcer.Request) throws(InboxError) -> (Announcer.Job, Announcer.Moment)? {
        try onDisk {
            switch request {
            case .last, .beforeLast: (.replay(try inbox.lastAnnounced()), moment)
            case .network: (.network(isOnline: true, address: []), moment)
            default: (.today(Entries.nothing), moment)
            }
        }
    }

    func begin(_ entries: [InboxEntry]) throws(InboxError) -> [InboxEntry] {
        try onDisk { try inbox.stillWaiting(entries) }
    }

    func begin(_ entry: CustomMessageEntry) throws(InboxError) -> Bool {
        try onDisk { try inbox.stillWaits(entry) }
    }

    func record(_ job: Announcer.Job, _ audibility: Audibility) throws(InboxError) {
        try onDisk {
            switch job {
            case .notice(let entry): try inbox.markAnnounced(entry, as: audibility, at: time)
            case .summary(let entries): try inbox.markExpired(entries, told: audibility, at: time)
            default: ledger.problems.append("\(job) is recorded")
            }
        }
    }

    func expire(_ entries: [InboxEntry]) throws(InboxError) {
        try onDisk { try inbox.markExpired(entries, told: nil, at: time) }
    }

    func end(_ entry: CustomMessageEntry, _ end: CustomMessageEnd) throws(InboxError) -> Bool {
        let mayBeLast = isRestarting
        do {
            return try onDisk {
                guard try inbox.end(entry, as: end, at: time) else { return false }
                ledger.ended(entry)
                return true
            }
        } catch {
            // An attempt that began after the box was told to stop. One before that is followed by another.
            if mayBeLast { ledger.diskRefusedTheLastAttempt(entry) }
            throw error
        }
    }

    func words(of ring: CustomMessageEntry) -> AnnouncementScript? { chance(90) ? .silence : nil }

    func show(_ ring: Rings.Ring?) { ringing = ring?.id }

    var soundFault: String? { cardIsAway ? "it is away" : nil }

    private var cardFails: Bool { isOff || cardIsAway || chance(failures) }

    func checkDevice() { pass(milliseconds(10...150)) }

    func openDevice() -> Bool {
        pass(milliseconds(10...150))
        return !cardFails
    }

    func play(_ announcement: Announcer.Announcement) -> Announcer.Outcome {
        let job = announcement.job
        if job.targets.count == 1, job.targets.contains(where: hushed.contains) { return .withdrawn }
        // What is said of a disk that fails, or between two repeats of a ring, is under another rule.
        ledger.begins(
            job, at: elapsed, holdsUp: !diskHasFailed && ringing == nil,
            isBetweenRepeats: !diskHasFailed && ringing != nil && !cardIsAway)
        playing = (job, elapsed + milliseconds(job.isAnswer ? 800...3000 : 1500...4500))
        defer { (playing, endsEarly) = (nil, false) }
        while !isOff, let end = playing?.end, elapsed < end { step(until: end) }
        if isOff { return .failed }
        if endsEarly {
            ledger.stoppedEarly(job)
            return .stoppedEarly
        }
        if cardFails {
            ledger.broke(off: job)
            return .failed
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
        case .customMessage(let id): id.text
        }
    }
}

extension Announcer.Job {
    /// The ids of what it tells of for the first time.
    var targets: [String] {
        switch self {
        case .say(let entry, _, _), .ring(let entry, _): return [entry.customMessage.id.text]
        default: break
        }
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
