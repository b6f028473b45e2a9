import Logging
import ServiceLifecycle
import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice

/// Announces one notice after the other, for as long as the box runs. Implements the effects that
/// ``AnnouncerWork/announce()`` asks for.
///
/// Pinned to its own thread, because the inbox blocks. On shutdown it finishes the current announcement.
package actor AnnouncerService: Service, AnnouncerWork {
    private let executor: ThreadExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    /// How long the announcer's thread has been busy with its current call, normally one commit at most. Any thread.
    nonisolated var timeInJob: Duration { executor.timeInJob }

    let inbox: any Inbox
    let clock: BoxClock
    private let day: ShopDay?
    let customMessages: (any SpokenCustomMessages)?
    let nowPlaying: NowPlaying
    let player: Player
    var voices: Voices
    let state: BoxState
    let logger: Logger
    /// `nil` counts nothing.
    let metrics: BoxMetrics?
    let delegate: any AnnouncerDelegate
    let requests: AnnouncerRequests
    nonisolated let ages: MessageAges
    private let quietTime: QuietTime
    var announcer: Announcer
    var announcementCount = 0
    /// The notices of the last announcement that began; empty when it was heard to its end.
    var unheard: [Int64] = []
    /// The text of the notice that plays or was played last.
    var textInTheMaking: (sequence: Int64, words: WordsInTheMaking)?
    /// Set while it reads.
    var prover: RecordingProver?
    /// The fault of a prover that is stuck in a read.
    var stuckProof: String?
    /// The broken recordings that the log has; those of the start are in it before.
    var reportedRecordings: Set<String>
    /// Tries unreadable recordings again.
    var recordingsRetry: Task<Void, Never>?

    /// How long the current announcement may take after the box was stopped. Shorter than the 10 s that all services
    /// have together (``Box/run(endingOn:)``), so that receipts and the last status still go out.
    private static let timeToFinish = Duration.seconds(9)
    private static let timeToClose = Duration.milliseconds(500)

    /// - Parameters:
    ///   - customMessages: for `say` and `ring` commands; `nil` if the box takes none.
    ///   - ages: how the messages of payments arrived.
    ///   - day: counts the takings, on this thread; `nil` without a history.
    ///   - checkInterval: how often an idle box checks its sound card. A fault and its end must be known within 10 s,
    ///     and a card may take time to open.
    package init(
        announcer: Announcer, inbox: any Inbox, customMessages: (any SpokenCustomMessages)? = nil, clock: BoxClock,
        player: Player,
        voices: Voices,
        state: BoxState, logger: Logger, metrics: BoxMetrics? = nil, requests: AnnouncerRequests = AnnouncerRequests(),
        ages: MessageAges = MessageAges(), quietTime: QuietTime = QuietTime(),
        day: ShopDay? = nil,
        delegate: any AnnouncerDelegate, checkInterval: Duration = .seconds(5)
    ) {
        executor = ThreadExecutor(name: "announcer", every: checkInterval) {
            requests.checkDevice()
            delegate.runPeriodicChecks()
        }
        self.announcer = announcer
        self.requests = requests
        self.ages = ages
        self.quietTime = quietTime
        self.inbox = inbox
        self.customMessages = customMessages
        self.clock = clock
        self.day = day
        self.player = player
        nowPlaying = NowPlaying { player.interrupt() }
        self.voices = voices
        reportedRecordings = Set(voices.broken.map(\.description))
        self.state = state
        self.logger = logger
        self.metrics = metrics
        self.delegate = delegate
    }

    /// Call before a cancel is committed: if the target plays, it ends after the current word, before the disk answers.
    /// It does not begin until ``letGo(_:isCancelled:)``. Any thread; never blocks.
    /// - Returns: whether a part of it was heard in this run.
    package nonisolated func hold(_ target: CancelTarget) -> Bool { nowPlaying.hold(target) }

    /// Call after the commit. A target that was not cancelled waits as before. Any thread; never blocks.
    /// - Parameter isCancelled: whether the cancel is on the disk.
    package nonisolated func letGo(_ target: CancelTarget, isCancelled: Bool) {
        if isCancelled { nowPlaying.forget([target]) } else { nowPlaying.letGo(target) }
        requests.inboxChanged()
    }

    /// Call when the button was pressed: a ring ends at once. Any thread; never blocks.
    /// - Returns: whether something rang; otherwise the press has its usual meaning.
    package nonisolated func answer() -> Bool {
        guard let ring = requests.answerRing() else { return false }
        nowPlaying.hold(.customMessage(ring))
        return true
    }

    /// After shutdown begins, returns within ``timeToFinish`` plus ``timeToClose``, whatever the sound card does.
    package func run() async {
        let end = OneTimeSignal()
        let work = Task(executorPreference: executor) {
            await self.openAndAnnounce()
            end.signal()
        }
        await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                await end.wait()
            } onGracefulShutdown: { [requests, nowPlaying, player, logger] in
                player.hurry()
                requests.stop()
                nowPlaying.silenceRing()
                Task {
                    await end.wait(atMost: Self.timeToFinish)
                    if !end.hasHappened {
                        logger.notice("what is being announced is broken off, and announced again after the next start")
                    }
                    work.cancel()
                    await end.wait(atMost: Self.timeToClose)
                    end.signal()
                }
            }
        } onCancel: {
            work.cancel()
        }
    }

    private func openAndAnnounce() async {
        // Without a sound card, the first announcement tries again.
        do throws(PlayerError) {
            try await player.prepare()
            updateDevice()
        } catch { await handle(error) }
        await reportRecordings()
        // Payments from before the restart.
        requests.inboxChanged()
        let proof = Task { await proveRecordings() }
        defer { proof.cancel() }
        await announce()
        recordingsRetry?.cancel()
        await player.close()
    }

    var now: Duration { .monotonicNow }

    func wait(atMost limit: Duration?) async { await requests.wait(atMost: limit) }

    // MARK: The inbox

    func read(limit: Int) throws(InboxError) -> Announcer.Reading {
        Timeline.shared.mark(.announcerWoken)
        return try reporting { () throws(InboxError) in
            try clock.doubtArrivals(in: inbox, logger: logger)
            let (says, rings) = try waitingCustomMessages()
            var notices = try inbox.queue(limit: limit)
            // If they were chosen, they would be withdrawn and read again until the disk answers.
            notices.payments.removeAll { nowPlaying.isHeld(.payment($0.notice.id)) }
            notices.others.removeAll { nowPlaying.isHeld(.payment($0.notice.id)) }
            let queue = Announcer.Queue(notices: notices, says: says, rings: rings)
            return Announcer.Reading(queue: queue, limit: limit, moment: moment(for: queue.notices.payments))
        }
    }

    func job(for request: Announcer.Request) throws(InboxError) -> (Announcer.Job, Announcer.Moment)? {
        let job = try reporting { () throws(InboxError) -> Announcer.Job? in
            switch request {
            case .last: .replay(try inbox.lastAnnounced())
            case .beforeLast: .replay(try announcedBeforeLast())
            case .today: .today(try takings(of: nil))
            case .dayEnd(let day): .today(try takings(of: day))
            case .network:
                .network(isOnline: state.snapshot.connection == .subscribed, address: NetworkAddress.octets() ?? [])
            case .notice(let entry): .replay(entry)
            case .signInCode(let asked): inTime(asked).map(Announcer.Job.signInCode)
            }
        }
        return job.map { ($0, moment) }
    }

    private func takings(of businessDay: BusinessDay?) throws(InboxError) -> DayTotals {
        guard let day else { return .unknown(reason: "no history is kept") }
        return try day.totals(of: businessDay)
    }

    private func announcedBeforeLast() throws(InboxError) -> InboxEntry? {
        if let entry = try inbox.lastAnnounced(skipping: 1) { return entry }
        // With only one payment, "none yet" would be false.
        return try inbox.lastAnnounced()
    }

    var moment: Announcer.Moment { moment(for: []) }

    private func moment(for payments: [InboxEntry]) -> Announcer.Moment {
        Announcer.Moment(
            clock: clock.reading, quietVolume: quietTime.volumeNow.map { Volume($0) },
            messages: ages.of(payments.map(\.notice.id)))
    }

    private func inTime(_ asked: Announcer.AskedCode) -> SignInCode? {
        if asked.isDue(at: .monotonicNow) { return asked.code }
        logger.notice("a code for the shop's page is not said, payments kept it waiting for too long")
        return nil
    }

    func begin(_ entries: [InboxEntry]) throws(InboxError) -> [InboxEntry] {
        nowPlaying.begin(entries.map { .payment($0.notice.id) })
        return try reporting { () throws(InboxError) in try inbox.stillWaiting(entries) }
    }

    func begin(_ entry: CustomMessageEntry) throws(InboxError) -> Bool {
        nowPlaying.begin([.customMessage(entry.customMessage.id)], isRing: entry.isRing)
        return try reporting { () throws(InboxError) in try customMessages?.store.stillWaits(entry) == true }
    }

    func record(_ job: Announcer.Job, _ audibility: Audibility) throws(InboxError) {
        try reporting { () throws(InboxError) in
            switch job {
            case .notice(let entry):
                try inbox.markAnnounced(entry, as: audibility, at: clock.now)
                ages.forget([entry.notice.id])
                metrics?.announced(entry)
            case .summary(let entries):
                try inbox.markExpired(entries, told: audibility, at: clock.now)
                ages.forget(entries.map(\.notice.id))
                metrics?.expired(entries)
            case .text, .replay, .today, .prompt, .network, .signInCode, .say, .ring: return
            }
            nowPlaying.forget(job.cancelTargets)
            logger.info("announced", metadata: job.logMetadata(["told": "\(audibility.rawValue)"]))
            delegate.receiptsAreWaiting()
        }
    }

    func expire(_ entries: [InboxEntry]) throws(InboxError) {
        try reporting { () throws(InboxError) in try inbox.markExpired(entries, told: nil, at: clock.now) }
        nowPlaying.forget(entries.map { .payment($0.notice.id) })
        ages.forget(entries.map(\.notice.id))
        metrics?.expired(entries)
        logger.notice("too late, not spoken", metadata: ["count": "\(entries.count)"])
        delegate.receiptsAreWaiting()
    }

    /// Reports a fault once, not at each attempt.
    func reporting<Result>(_ body: () throws(InboxError) -> Result) throws(InboxError) -> Result {
        do throws(InboxError) {
            let result = try body()
            state.update { $0.recordingFault = nil }
            return result
        } catch {
            let isNew = state.snapshot.recordingFault == nil
            if isNew { logger.error("the inbox failed, trying again", metadata: ["reason": "\(error)"]) }
            state.update { $0.recordingFault = error.description }
            throw error
        }
    }

    // MARK: The sound card

    var soundFault: String? { state.snapshot.audioFault ?? state.snapshot.speechFault }

    func checkDevice() async {
        lookAfterProof()
        await checkCard()
    }

    func openDevice() async -> Bool {
        do throws(PlayerError) {
            try await player.prepare()
        } catch .sink(let error) {
            report(error)
            return false
        } catch {
            // The card is there. Whether the recording can be played shows when it is played.
            await handle(error)
        }
        Timeline.shared.mark(.cardOpened)
        return true
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
            case .say(let entry, _, _), .ring(let entry, _): ["command": "\(entry.customMessage.id)"]
            }
        return metadata.merging(others) { _, new in new }
    }
}
