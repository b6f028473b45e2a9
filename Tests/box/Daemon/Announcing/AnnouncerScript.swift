import SoundboxCore
import SoundboxSpeech
import Testing

@testable import SoundboxBox

/// What an announcer is expected to do, call by call, and how each call ends.
///
/// ```swift
/// let script = AnnouncerScript { $0.inboxChanged() }
/// script.expect(.read(limit: 1), .queue(.of([entry]), noon))
/// script.expect(.open, .done) { $0.say(.volumeUp) }
/// script.expectLast(.begin([entry]))
/// await script.run(.plain)
/// ```
final class AnnouncerScript {
    enum Call: Equatable, Sendable {
        case read(limit: Int)
        case lookUp(Announcer.Request)
        case check
        case open
        case begin([InboxEntry])
        case beginCustomMessage(CustomMessageEntry)
        case play(Announcer.Announcement)
        case record(Announcer.Job, Audibility)
        case expire([InboxEntry])
        case end(CustomMessageEntry, CustomMessageEnd)
        case wait(Duration)
        case rest
    }

    enum Answer: Sendable {
        case done
        /// The inbox or the sound card failed.
        case failed
        /// Of what was to be noted, this still waits.
        case rest([InboxEntry])
        case queue(Announcer.Queue, Announcer.Moment)
        case job(Announcer.Job?, Announcer.Moment)
        case outcome(Announcer.Outcome)
        /// Of a wait: its time has not passed yet.
        case interrupted
    }

    typealias Asks = @Sendable (AnnouncerRequests) -> Void

    fileprivate struct Step: Sendable {
        var call: Call
        /// `nil` ends the script.
        var answer: Answer?
        var takes: Duration
        var asks: Asks
    }

    private let requests = AnnouncerRequests()
    private var steps: [Step] = []
    /// Of a ring; `nil` while they are made.
    private let words: @Sendable (CustomMessageEntry) -> AnnouncementScript?

    init(
        _ asks: Asks = { _ in },
        words: @escaping @Sendable (CustomMessageEntry) -> AnnouncementScript? = { _ in .silence }
    ) {
        self.words = words
        asks(requests)
    }

    /// - Parameters:
    ///   - takes: the time that passes in the call, beside what a wait waits for.
    ///   - asks: what is asked for during the call.
    func expect(
        _ call: Call, _ answer: Answer = .done, takes: Duration = .zero, asks: @escaping Asks = { _ in }
    ) {
        steps.append(Step(call: call, answer: answer, takes: takes, asks: asks))
    }

    /// The script ends here.
    func expectLast(_ call: Call) { steps.append(Step(call: call, answer: nil, takes: .zero, asks: { _ in })) }

    /// Notices are announced and recorded.
    func expectAnnouncement(of entry: InboxEntry, asks: @escaping Asks = { _ in }) {
        expectPlaying(entry, .played(.aloud), asks: asks)
        expect(.record(.notice(entry), .aloud))
    }

    func expectPlaying(_ entry: InboxEntry, _ outcome: Announcer.Outcome, asks: @escaping Asks = { _ in }) {
        expect(.read(limit: 1), .queue(.of([entry]), Entries.moment))
        expect(.open)
        expect(.begin([entry]))
        expect(.play(.init(.notice(entry))), .outcome(outcome), asks: asks)
    }

    /// Nothing is left to be done, and the inbox is empty.
    func expectRest(asks: @escaping Asks = { _ in }) {
        expect(.read(limit: 1), .queue(.of([]), Entries.moment))
        expect(.rest, asks: asks)
    }

    /// - Parameter stops: whether it is to end by itself after the last call.
    /// - Returns: the rings that were shown, in order, with `nil` where none was.
    @discardableResult
    func run(
        _ announcer: Announcer = .plain, stops: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) async -> [String?] {
        let work = Work(announcer, requests, steps, words, sourceLocation)
        await Task { await work.announce() }.value
        let (isCancelled, left) = await (work.isCancelled, work.steps)
        #expect(left.map(\.call) == [], "not done", sourceLocation: sourceLocation)
        if stops { #expect(!isCancelled, sourceLocation: sourceLocation) }
        return await work.shown
    }

    /// Performs the script.
    fileprivate actor Work: AnnouncerWork {
        var announcer: Announcer
        let requests: AnnouncerRequests
        private(set) var steps: [Step]
        private(set) var isCancelled = false
        private(set) var now = Duration.zero
        private(set) var shown: [String?] = []
        private let words: @Sendable (CustomMessageEntry) -> AnnouncementScript?
        private let sourceLocation: SourceLocation

        init(
            _ announcer: Announcer, _ requests: AnnouncerRequests, _ steps: [Step],
            _ words: @escaping @Sendable (CustomMessageEntry) -> AnnouncementScript?, _ sourceLocation: SourceLocation
        ) {
            self.words = words
            self.announcer = announcer
            self.requests = requests
            self.steps = steps
            self.sourceLocation = sourceLocation
        }

        private func perform(_ call: Call) -> Answer {
            guard !isCancelled else { return .failed }
            guard let step = steps.first, step.call == call else {
                Issue.record("\(call) in place of \(steps.first?.call as Any)", sourceLocation: sourceLocation)
                return cancel()
            }
            steps.removeFirst()
            step.asks(requests)
            now += step.takes
            return step.answer ?? cancel()
        }

        private func cancel() -> Answer {
            isCancelled = true
            withUnsafeCurrentTask { $0?.cancel() }
            return .failed
        }

        private func perform<Result>(_ call: Call, _ result: (Answer) -> Result?) throws(InboxError) -> Result {
            let answer = perform(call)
            if case .failed = answer { throw .failed(path: "inbox", reason: "disk full") }
            guard let result = result(answer) else {
                Issue.record("\(answer) to \(call)", sourceLocation: sourceLocation)
                throw .failed(path: "inbox", reason: "disk full")
            }
            return result
        }

        func read(limit: Int) throws(InboxError) -> Announcer.Reading {
            try perform(.read(limit: limit)) {
                guard case .queue(let queue, let moment) = $0 else { return nil }
                return Announcer.Reading(queue: queue, limit: limit, moment: moment)
            }
        }

        func job(for request: Announcer.Request) throws(InboxError) -> (Announcer.Job, Announcer.Moment)? {
            try perform(.lookUp(request)) { answer -> (Announcer.Job, Announcer.Moment)?? in
                guard case .job(let job, let moment) = answer else { return nil }
                return .some(job.map { ($0, moment) })
            }
        }

        func begin(_ entries: [InboxEntry]) throws(InboxError) -> [InboxEntry] {
            try perform(.begin(entries)) { if case .rest(let rest) = $0 { rest } else { entries } }
        }

        func begin(_ entry: CustomMessageEntry) throws(InboxError) -> Bool {
            try perform(.beginCustomMessage(entry)) { if case .rest = $0 { false } else { true } }
        }

        func record(_ job: Announcer.Job, _ audibility: Audibility) throws(InboxError) {
            try perform(.record(job, audibility)) { _ in () }
        }

        func expire(_ entries: [InboxEntry]) throws(InboxError) { try perform(.expire(entries)) { _ in () } }

        func end(_ entry: CustomMessageEntry, _ end: CustomMessageEnd) throws(InboxError) -> Bool {
            try perform(.end(entry, end)) { if case .rest = $0 { false } else { true } }
        }

        var moment: Announcer.Moment { Entries.moment }
        func words(of ring: CustomMessageEntry) -> AnnouncementScript? { words(ring) }
        nonisolated var soundFault: String? { "unplugged" }

        func show(_ ring: Rings.Ring?) {
            let id = ring?.id.text
            if id != shown.last ?? nil { shown.append(id) }
        }

        func checkDevice() { _ = perform(.check) }

        func openDevice() -> Bool { if case .failed = perform(.open) { false } else { true } }

        func play(_ announcement: Announcer.Announcement) -> Announcer.Outcome {
            if case .outcome(let outcome) = perform(.play(announcement)) { outcome } else { .failed }
        }

        func wait(atMost limit: Duration?) {
            let answer = perform(limit.map { .wait($0) } ?? .rest)
            if case .done = answer, let limit { now += limit }
        }
    }
}

extension Announcer {
    /// One that tells late payments in a summary after ten minutes.
    static var plain: Announcer { Announcer() }

    /// One with these settings, and else the usual ones.
    init(
        freshness: FreshnessPolicy, saysExpireAfter: Duration = .seconds(300), hurryAbove: Int? = nil,
        lastEarlierCustomMessage: Int64 = 0
    ) {
        var settings = BoxSettings()
        settings.announcements.freshness = freshness
        settings.announcements.hurryAbove = hurryAbove
        settings.say.expireAfter = saysExpireAfter
        self.init(settings, lastEarlierCustomMessage: lastEarlierCustomMessage)
    }
}
