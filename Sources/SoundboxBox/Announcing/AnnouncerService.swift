import Logging
import ServiceLifecycle
import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice

/// Performs what ``Announcer`` decides: one announcement after the other, for as long as the box runs.
///
/// Runs on a thread of its own, since the inbox blocks. On shutdown what is playing is finished.
package actor AnnouncerService: Service {
    private let executor: ThreadExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    /// How long the announcer's thread has been busy with its current call: normally no longer than a commit. Any
    /// thread.
    nonisolated var timeInJob: Duration { executor.timeInJob }

    let inbox: any Inbox
    let clock: BoxClock
    private let takings: @Sendable (BusinessDay?) throws(InboxError) -> DayTotals
    let errands: SpokenErrands?
    let sounding = Sounding()
    let player: Player
    var voices: Voices
    let state: BoxState
    let logger: Logger
    /// `nil` where nobody asks for any.
    let metrics: BoxMetrics?
    let receiptsAreWaiting: @Sendable () -> Void
    let promptWasHeard: @Sendable (Prompt) -> Void
    private let events: AnnouncerEvents
    private let ages: MessageAges
    private let quietTime: QuietTime
    private var machine: Announcer
    var announcementCount = 0
    /// The notices of the last announcement that began; empty when it was heard to its end.
    var unheard: [Int64] = []
    /// Begun when its notice began.
    var textInTheMaking: (sequence: Int64, words: WordsInTheMaking)?
    /// While it reads.
    var prover: RecordingProver?
    /// What was told of a prover that does not come to an end.
    var stuckProof: String?
    /// Looks after recordings that could not be had.
    var recordingsRetry: Task<Void, Never>?

    private let willStop: @Sendable () -> Void

    /// When the box is stopped, what is playing may take this long to end. Receipts and the last status then still go
    /// out within the time that the services have together.
    private static let timeToFinish = Duration.seconds(9)
    private static let timeToFade = Duration.milliseconds(500)

    /// - Parameters:
    ///   - errands: what commands give to say; `nil` where they cannot.
    ///   - events: what it is told from outside, by others than its own methods.
    ///   - ages: how the messages came that brought payments.
    ///   - takings: a day's, the current one's for `nil`, counted on this thread.
    ///   - receiptsAreWaiting: told after every commit that wrote receipts. Must not block.
    ///   - promptWasHeard: told when a prompt has been heard to its end: neither muted nor too soft. Must not block.
    ///   - willStop: told when the service is to stop. Must not block.
    ///   - lookInterval: how often an idle box looks after its sound card. A fault, and its end, are to be known within
    ///     10 s, and a card may take some time to open.
    ///   - looksElsewhere: called as often, on the announcer's thread: what else is to be looked after shares its
    ///     wake-up. Must not block.
    package init(
        machine: Announcer, inbox: any Inbox, errands: SpokenErrands? = nil, clock: BoxClock, player: Player,
        voices: Voices,
        state: BoxState, logger: Logger, metrics: BoxMetrics? = nil, events: AnnouncerEvents = AnnouncerEvents(),
        ages: MessageAges = MessageAges(), quietTime: QuietTime = QuietTime(),
        takings: @escaping @Sendable (BusinessDay?) throws(InboxError) -> DayTotals = { _ in
            .unknown(reason: "no history is kept")
        },
        receiptsAreWaiting: @escaping @Sendable () -> Void,
        promptWasHeard: @escaping @Sendable (Prompt) -> Void = { _ in },
        willStop: @escaping @Sendable () -> Void = {}, lookInterval: Duration = .seconds(5),
        looksElsewhere: @escaping @Sendable () -> Void = {}
    ) {
        executor = ThreadExecutor(name: "announcer", every: lookInterval) {
            events.yield(.lookDue)
            looksElsewhere()
        }
        self.machine = machine
        self.events = events
        self.ages = ages
        self.quietTime = quietTime
        self.inbox = inbox
        self.errands = errands
        self.clock = clock
        self.takings = takings
        self.player = player
        self.voices = voices
        self.state = state
        self.logger = logger
        self.metrics = metrics
        self.receiptsAreWaiting = receiptsAreWaiting
        self.promptWasHeard = promptWasHeard
        self.willStop = willStop
    }

    /// After every commit that brought something to be said, and when something to be said has become ready. Never
    /// blocks; any thread.
    package nonisolated func somethingMayWait() { events.yield(.somethingMayWait) }

    /// Has it end with its word, if it sounds, and keeps it from beginning. To be told of a cancel before that is
    /// committed, so that nobody waits for the disk, and once more afterwards, since it may have begun meanwhile. What
    /// is still there when the inbox is read next is said then. Never blocks; any thread.
    package nonisolated func hush(_ target: CancelTarget) { sounding.hush(target) }

    /// While something rings that payments are to come after. Never blocks; any thread.
    package nonisolated func hold(_ isHeld: Bool) { events.yield(.held(isHeld)) }

    /// Once it is to stop, ends within ``timeToFinish`` and a little more, whatever the sound card does.
    package func run() async {
        let end = OneTimeSignal()
        let work = Task(executorPreference: executor) {
            await self.announce()
            end.signal()
        }
        await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                await end.wait()
            } onGracefulShutdown: { [events, player, willStop] in
                willStop()
                events.yield(.stopRequested)
                Task {
                    await end.wait(atMost: Self.timeToFinish)
                    // What is still playing fades out, and is spoken again after the next start.
                    work.cancel()
                    await end.wait(atMost: Self.timeToFade)
                    player.interrupt()
                    end.signal()
                }
            }
        } onCancel: {
            work.cancel()
        }
    }

    private func announce() async {
        // Without a sound card the first announcement tries again.
        do throws(PlayerError) {
            try await player.prepare()
            noteDevice()
        } catch { await handle(error) }
        await noteRecordings()
        // What was waiting when the box went off.
        events.yield(.somethingMayWait)
        let proof = Task { await proveRecordings() }
        defer { proof.cancel() }
        for await event in events {
            guard await handle(event) else { break }
        }
        recordingsRetry?.cancel()
        await player.close()
    }

    /// - Returns: whether the loop goes on.
    private func handle(_ event: Announcer.Event) async -> Bool {
        machine.quietHours = quietTime.hours
        for action in machine.handle(event) {
            if action == .finish { return false }
            // Behind what has come in meanwhile: a request to stop is heard before the next announcement begins.
            if let answer = await perform(action) { events.yield(answer) }
        }
        return true
    }

    private func perform(_ action: Announcer.Action) async -> Announcer.Event? {
        switch action {
        case .fetch(let limit):
            Timeline.shared.mark(.announcerWoken)
            return answer { () throws(InboxError) in
                try clock.doubtArrivals(in: inbox, logger: logger)
                sounding.forget()
                let queue = Announcer.Queue(notices: try inbox.queue(limit: limit), says: try says())
                return .fetched(queue, moment(for: queue.notices.payments))
            }
        case .recall(let request):
            return answer { () throws(InboxError) in .recalled(try recall(request), moment()) }
        case .prepare:
            return await prepare()
        case .look:
            lookAfterProof()
            await look()
            return .looked
        case .note(let entries):
            sounding.begin(entries.count == 1 ? entries.map { .payment($0.notice.id) } : [])
            return answer { () throws(InboxError) in
                let rest = try inbox.markAnnouncing(entries)
                Timeline.shared.mark(.announcingCommitted)
                return rest.count == entries.count ? .noted : .withdrawn(rest: rest)
            }
        case .noteSounding(let entry):
            sounding.begin([.errand(entry.errand.id)])
            return answer { () throws(InboxError) in
                try errands?.book.markSounding(entry) == true ? .noted : .withdrawn(rest: [])
            }
        case .play(let announcement):
            defer {
                sounding.end()
                if let steps = Timeline.shared.take() {
                    logger.trace("timeline", metadata: ["microseconds": "\(steps)"])
                }
            }
            return await play(announcement)
        case .record(let job, let manner):
            return answer { () throws(InboxError) in
                try record(job, manner)
                return .recorded
            }
        case .expire(let entries):
            return answer { () throws(InboxError) in
                try inbox.markExpired(entries, told: nil, at: clock.now)
                ages.forget(entries.map(\.notice.id))
                metrics?.expired(entries)
                logger.notice("too late, not spoken", metadata: ["count": "\(entries.count)"])
                receiptsAreWaiting()
                return .recorded
            }
        case .end(let entry, let end):
            return answer { () throws(InboxError) in
                try self.end(entry, end)
                return .recorded
            }
        case .wait(let time):
            Task { [events] in
                try? await Task.sleep(for: time)
                events.yield(.waited)
            }
            return nil
        case .report(let mismatch):
            logger.error("a mistake of the program", metadata: ["reason": "\(mismatch)"])
            state.update { $0.announcerMismatches += 1 }
            return nil
        case .finish:
            return nil
        }
    }

    private func moment(for payments: [InboxEntry] = []) -> Announcer.Moment {
        Announcer.Moment(
            clock: clock.reading, minuteOfDay: quietTime.minuteOfDay, messages: ages.of(payments.map(\.notice.id)))
    }

    private func recall(_ request: Announcer.Request) throws(InboxError) -> Announcer.Recollection {
        switch request {
        case .last: .announced(try inbox.lastAnnounced())
        case .beforeLast: .announced(try inbox.lastAnnounced(skipping: 1))
        case .today: .takings(try takings(nil))
        case .dayEnd(let day): .takings(try takings(day))
        case .network:
            .network(isOnline: state.snapshot.connection == .subscribed, address: NetworkAddress.octets() ?? [])
        case .notice(let entry): .announced(entry)
        case .signInCode(let asked): .signInCode(inTime(asked))
        }
    }

    private func inTime(_ asked: Announcer.AskedCode) -> SignInCode? {
        if asked.isDue(at: .monotonicNow) { return asked.code }
        logger.notice("a code for the shop's page is not said, payments kept it waiting for too long")
        return nil
    }

    private func answer(_ body: () throws(InboxError) -> Announcer.Event) -> Announcer.Event {
        do throws(InboxError) {
            let event = try body()
            state.update { $0.recordingFault = nil }
            return event
        } catch {
            report(error)
            return .inboxFailed
        }
    }

    private func report(_ error: InboxError) {
        // Once per fault, not once per attempt.
        let isNew = state.snapshot.recordingFault == nil
        if isNew { logger.error("the inbox failed, trying again", metadata: ["reason": "\(error)"]) }
        state.update { $0.recordingFault = error.description }
    }

    private func prepare() async -> Announcer.Event {
        do throws(PlayerError) {
            try await player.prepare()
        } catch .sink(let error) {
            report(error)
            return .playFailed
        } catch {
            // The card is there. What can be played on it shows when it is played.
            await handle(error)
        }
        Timeline.shared.mark(.cardOpened)
        return .prepared
    }

    func handle(_ error: PlayerError) async {
        switch error {
        case .sink(let error): report(error)
        case .recording(let part, let error): await leaveOut(part, error)
        case .sound(let error): logger.error("sound that cannot be played", metadata: ["reason": "\(error)"])
        case .nothingToPlay: reportNothingToPlay()
        case .cancelled: break
        }
    }

    private func record(_ job: Announcer.Job, _ manner: Manner) throws(InboxError) {
        switch job {
        case .notice(let entry):
            try inbox.markAnnounced(entry, as: manner, at: clock.now)
            ages.forget([entry.notice.id])
            metrics?.announced(entry)
        case .summary(let entries):
            try inbox.markExpired(entries, told: manner, at: clock.now)
            ages.forget(entries.map(\.notice.id))
            metrics?.expired(entries)
        case .text, .replay, .today, .prompt, .network, .signInCode, .say: return
        }
        logger.info("announced", metadata: job.logMetadata(["told": "\(manner.rawValue)"]))
        receiptsAreWaiting()
    }
}

extension Announcer.Job {
    func logMetadata(_ others: Logger.Metadata) -> Logger.Metadata {
        let metadata: Logger.Metadata =
            switch self {
            case .notice(let entry), .text(let entry): entry.notice.id.logMetadata()
            case .summary(let entries): ["summary_of": "\(entries.count)"]
            case .replay(let entry): ["replay_of": "\(entry?.notice.id.text ?? "nothing")"]
            case .prompt(let prompt): ["prompt": "\(prompt.rawValue)"]
            case .today(.known(let takings)): ["today": "\(takings.payments)", "refunds": "\(takings.refunds)"]
            case .today(.unknown(let reason)): ["today": "unknown", "reason": "\(reason)"]
            case .network(let isOnline, _): ["network": isOnline ? "online" : "offline"]
            case .signInCode: ["sign_in": "code"]
            case .say(let entry, _, _): ["command": "\(entry.errand.id)"]
            }
        return metadata.merging(others) { _, new in new }
    }
}
