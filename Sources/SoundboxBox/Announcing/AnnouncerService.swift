import Logging
import ServiceLifecycle
import SoundboxAudio
import SoundboxCore
import SoundboxSystem
import SoundboxVoice

/// Performs what ``Announcer`` decides: one announcement after the other, for as long as the box runs.
///
/// Runs on a thread of its own, since the inbox blocks. On shutdown what is playing is finished.
package actor AnnouncerService: Service {
    private let executor = ThreadExecutor(name: "announcer")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    /// How long the announcer's thread has been busy with its current call: normally no longer than a commit. Any
    /// thread.
    nonisolated var timeInJob: Duration { executor.timeInJob }

    private let inbox: any Inbox
    private let clock: BoxClock
    let player: Player
    var voices: Voices
    let state: BoxState
    let logger: Logger
    private let receiptsAreWaiting: @Sendable () -> Void
    private let promptWasHeard: @Sendable (Prompt) -> Void
    private let events: AnnouncerEvents
    private var machine: Announcer
    private var announcementCount = 0
    /// The notices of the last announcement that began; empty when it was heard to its end.
    private var unheard: [Int64] = []
    /// Looks after recordings that could not be had.
    var recordingsRetry: Task<Void, Never>?

    private let willStop: @Sendable () -> Void

    /// When the box is stopped, what is playing may take this long to end. Receipts and the last status then still go
    /// out within the time that the services have together.
    private static let timeToFinish = Duration.seconds(9)
    private static let timeToFade = Duration.milliseconds(500)

    /// - Parameters:
    ///   - events: what it is told from outside, by others than its own methods.
    ///   - receiptsAreWaiting: told after every commit that wrote receipts. Must not block.
    ///   - promptWasHeard: told when a prompt has been played to its end. Must not block.
    ///   - willStop: told when the service is to stop. Must not block.
    package init(
        machine: Announcer, inbox: any Inbox, clock: BoxClock, player: Player, voices: Voices,
        state: BoxState, logger: Logger, events: AnnouncerEvents = AnnouncerEvents(),
        receiptsAreWaiting: @escaping @Sendable () -> Void,
        promptWasHeard: @escaping @Sendable (Prompt) -> Void = { _ in },
        willStop: @escaping @Sendable () -> Void = {}
    ) {
        self.machine = machine
        self.events = events
        self.inbox = inbox
        self.clock = clock
        self.player = player
        self.voices = voices
        self.state = state
        self.logger = logger
        self.receiptsAreWaiting = receiptsAreWaiting
        self.promptWasHeard = promptWasHeard
        self.willStop = willStop
    }

    /// Never blocks; any thread.
    package nonisolated func noticesMayWait() { events.yield(.noticesMayWait) }

    /// Once it is to stop, ends within ``timeToFinish`` and a little more, whatever the sound card does.
    package func run() async {
        let end = OneTimeSignal()
        let work = Task {
            await announce()
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
            await noteDevice()
        } catch { await handle(error) }
        await noteRecordings()
        // What was waiting when the box went off.
        events.yield(.noticesMayWait)
        for await event in events {
            guard await handle(event) else { break }
        }
        recordingsRetry?.cancel()
        await player.close()
    }

    /// - Returns: whether the loop goes on.
    private func handle(_ event: Announcer.Event) async -> Bool {
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
            return answer { () throws(InboxError) in
                try clock.afterStep { (step) throws(InboxError) in
                    try inbox.distrustArrivalTimes()
                    if step == .forward { logger.notice("the clock was set forward: what waits counts as new") }
                }
                return .fetched(try inbox.waiting(limit: limit), moment)
            }
        case .recall(let request):
            return answer { () throws(InboxError) in .recalled(try recall(request), moment) }
        case .prepare:
            return await prepare()
        case .note(let entries):
            return answer { () throws(InboxError) in
                let rest = try inbox.markAnnouncing(entries)
                return rest.count == entries.count ? .noted : .withdrawn(rest: rest)
            }
        case .play(let announcement):
            return await play(announcement)
        case .record(let job):
            return answer { () throws(InboxError) in
                try record(job)
                return .recorded
            }
        case .expire(let entries):
            return answer { () throws(InboxError) in
                try inbox.markExpired(entries, inSummary: false, at: clock.now)
                logger.notice("too late, not spoken", metadata: ["count": "\(entries.count)"])
                receiptsAreWaiting()
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

    private var moment: Announcer.Moment {
        Announcer.Moment(clock: clock.reading, minuteOfDay: currentMinuteOfDay())
    }

    private func recall(_ request: Announcer.Request) throws(InboxError) -> Announcer.Recollection {
        switch request {
        case .last: .announced(try inbox.lastAnnounced())
        case .beforeLast: .announced(try inbox.lastAnnounced(skipping: 1))
        case .today: .payments(try inbox.payments(since: clock.now.startOfDay))
        case .network:
            .network(isOnline: state.snapshot.connection == .subscribed, address: NetworkAddress.octets() ?? [])
        }
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
        return .prepared
    }

    private func play(_ announcement: Announcer.Announcement) async -> Announcer.Event {
        let job = announcement.job
        announcementCount += 1
        state.update { $0.announcement = announcementCount }
        defer { state.update { $0.announcement = nil } }
        var isProven = voices.mayHaveMore
        var script = isProven ? await provenScript(for: job) : voices.script(for: job.utterance)
        while true {
            log(script, of: job)
            do throws(PlayerError) {
                try await player.play(script, announcement.delivery.fitted(toWords: script.hasWords))
                break
            } catch .recording(let part, let error) {
                // In other words, and at once: nothing of it has been told yet. A recording that fails although it was
                // proven is left out until this announcement is over, so that the loop ends.
                await leaveOut(part, error)
                script = isProven ? voices.script(for: job.utterance) : await provenScript(for: job)
                isProven = true
            } catch {
                unheard = job.entries.map(\.sequence)
                // A prompt has no chime, and is not waited for.
                if case .prompt = job, error == .nothingToPlay { return .playFailed }
                await handle(error)
                return .playFailed
            }
        }
        unheard = []
        if case .prompt(let prompt) = job { promptWasHeard(prompt) }
        await noteDevice()
        noteSound()
        return .played
    }

    private func log(_ script: AnnouncementScript, of job: Announcer.Job) {
        // An attempt every five seconds is not worth a line each.
        let isRepeated = !job.entries.isEmpty && job.entries.map(\.sequence) == unheard
        if let shortcoming = script.shortcoming, !isRepeated {
            logger.error("not said in full", metadata: job.logMetadata(["reason": "\(shortcoming)"]))
        }
        logger.log(
            level: isRepeated ? .debug : .info, "announcing",
            metadata: job.logMetadata(["text": "\(script.text)"]))
    }

    private func handle(_ error: PlayerError) async {
        switch error {
        case .sink(let error): report(error)
        case .recording(let part, let error): await leaveOut(part, error)
        case .nothingToPlay: reportNothingToPlay()
        case .cancelled: break
        }
    }

    // MARK: The device

    private func noteSound() {
        if state.snapshot.audioFault != nil { logger.notice("sound is back") }
        state.update {
            $0.audioFault = nil
            $0.speechFault = nil
        }
    }

    private func noteDevice() async {
        let device = player.device
        state.update {
            $0.device = device
            $0.xruns = device?.xrunCount ?? 0
        }
    }

    private func report(_ error: AudioSinkError) {
        let isNew = state.snapshot.audioFault != error.description
        state.update {
            $0.audioFault = error.description
            $0.device = nil
        }
        if isNew { logger.error("no sound, trying again until there is", metadata: ["reason": "\(error)"]) }
    }

    private func record(_ job: Announcer.Job) throws(InboxError) {
        switch job {
        case .notice(let entry): try inbox.markAnnounced(entry, at: clock.now)
        case .summary(let entries): try inbox.markExpired(entries, at: clock.now)
        case .replay, .today, .prompt, .network: return
        }
        logger.info("announced", metadata: job.logMetadata([:]))
        receiptsAreWaiting()
    }
}

extension Announcer.Job {
    fileprivate func logMetadata(_ others: Logger.Metadata) -> Logger.Metadata {
        let metadata: Logger.Metadata =
            switch self {
            case .notice(let entry): ["id": "\(entry.notice.id)"]
            case .summary(let entries): ["summary_of": "\(entries.count)"]
            case .replay(let entry): ["replay_of": "\(entry?.notice.id.text ?? "nothing")"]
            case .prompt(let prompt): ["prompt": "\(prompt.rawValue)"]
            case .today(let payments): ["today": "\(payments.count)"]
            case .network(let isOnline, _): ["network": isOnline ? "online" : "offline"]
            }
        return metadata.merging(others) { _, new in new }
    }
}
