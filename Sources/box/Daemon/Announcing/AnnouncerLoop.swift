import SoundboxCore
import SoundboxSpeech

/// The announcer's effects on the inbox, the sound card and the log. ``AnnouncerService`` implements them; tests
/// implement them in virtual time. ``announce()`` calls them strictly one after the other.
protocol AnnouncerWork: Actor {
    var announcer: Announcer { get set }
    var requests: AnnouncerRequests { get }
    /// On the monotonic clock.
    var now: Duration { get }
    /// Returns at the next request, and after `limit` in any case.
    func wait(atMost limit: Duration?) async

    /// Reads the queue, with at most `limit` payments.
    func read(limit: Int) throws(InboxError) -> Announcer.Reading
    var moment: Announcer.Moment { get }
    /// The words of a ring, empty for the bell alone; `nil` while they are being made.
    func words(of ring: CustomMessageEntry) -> AnnouncementScript?
    /// Shows the current ring; `nil` for none.
    func show(_ ring: Rings.Ring?)
    /// Why nothing was heard, if known.
    var soundFault: String? { get }
    /// Looks up what was requested; `nil` if it is too late.
    func job(for request: Announcer.Request) throws(InboxError) -> (Announcer.Job, Announcer.Moment)?
    /// Marks these as the next to play: from now on a cancel ends them.
    /// - Returns: those that still wait.
    func begin(_ entries: [InboxEntry]) throws(InboxError) -> [InboxEntry]
    /// Marks this as the next to play.
    /// - Returns: whether it still waits.
    func begin(_ entry: CustomMessageEntry) throws(InboxError) -> Bool
    /// Records that a job was announced, and how audibly.
    func record(_ job: Announcer.Job, _ audibility: Audibility) throws(InboxError)
    /// Records that these were too late and are not announced.
    func expire(_ entries: [InboxEntry]) throws(InboxError)
    /// Records how a custom message ended.
    /// - Returns: `false` when it was cancelled.
    func end(_ entry: CustomMessageEntry, _ end: CustomMessageEnd) throws(InboxError) -> Bool

    /// Checks the sound card, and opens it again if it was lost.
    func checkDevice() async
    /// Opens the sound card.
    /// - Returns: whether it is open.
    func openDevice() async -> Bool
    /// Plays an announcement to its last frame.
    func play(_ announcement: Announcer.Announcement) async -> Announcer.Outcome
}

extension AnnouncerWork {
    /// Announces the queue and answers requests until the announcer is stopped or its task is cancelled. An
    /// announcement that is playing then is finished and recorded.
    func announce() async {
        // Consecutive failures.
        var deviceFailures = 0
        while !isOver {
            switch await choose() {
            case nil: break
            case .rest:
                deviceFailures = 0
                await rest()
            case .announce(let announcement): await announce(announcement, &deviceFailures)
            case .answer(let request): await answer(request, &deviceFailures)
            case .say(let announcement):
                if case .played = await sound(announcement) { deviceFailures = 0 }
            case .expire(let entries):
                do { try expire(entries) } catch { await waitForDisk() }
            case .end(let entry, let end): await recordEnd(of: entry, end)
            case .ring(let ring): await sound(ring, &deviceFailures)
            case .wait(let end): await wait(atMost: max(.zero, end - now))
            case .read: break
            }
        }
        show(nil)
        // Record an answer, so that the ring does not start again after the restart.
        let answered = requests.with { $0.answered }
        if case (let entry, .answered)? = announcer.rings.end(answered: answered, at: now) {
            _ = try? end(entry, .answered)
        }
    }

    private var isOver: Bool { isStopping || Task.isCancelled }
    private var isStopping: Bool { requests.with { $0.isStopping } }

    /// - Returns: `nil` when the announcer must stop.
    private func choose() async -> Announcer.Step? {
        var step = next(nil)
        while case .read(let limit) = step {
            var reading: Announcer.Reading?
            // A box that stops needs no reading.
            await untilOnDisk { () throws(InboxError) in if !isOver { reading = try read(limit: limit) } }
            guard let reading, !isOver else { return nil }
            step = next(reading)
        }
        return step
    }

    private func next(_ reading: Announcer.Reading?) -> Announcer.Step {
        let now = now
        let step = requests.with { announcer.next(reading, &$0, at: now) }
        show(announcer.rings.current)
        return step
    }

    private func rest() async {
        let checkIsDue = requests.with { asked in
            defer { asked.deviceCheckIsDue = false }
            return asked.deviceCheckIsDue
        }
        if checkIsDue { await checkDevice() } else { await wait(atMost: nil) }
    }

    private func sound(_ announcement: Announcer.Announcement) async -> Announcer.Outcome {
        announcer.begins(announcement.job)
        return await play(announcement)
    }

    // MARK: What is recorded

    private func announce(_ announcement: Announcer.Announcement, _ deviceFailures: inout Int) async {
        guard await openDevice() else { return await waitForDevice(&deviceFailures) }
        guard !isOver else { return }
        var announcement = announcement
        do throws(InboxError) {
            guard let rest = try begin(announcement) else { return }
            announcement = rest
        } catch {
            // A stored payment must be heard even if the disk fails now. A sentence can wait.
            if announcement.job.entries.isEmpty { return await waitForDisk() }
        }
        guard !isOver else { return }
        switch await sound(announcement) {
        case .played(let audibility):
            deviceFailures = 0
            await recordHeard(announcement, audibility)
        case .saidOtherwise(let reason):
            deviceFailures = 0
            guard case .say(let entry, _, _) = announcement.job else { return }
            await recordEnd(of: entry, .failed(reason: reason))
        case .stoppedEarly:
            deviceFailures = 0
            announcer.wasHeard(announcement.job)
            readInboxNext()
            // Also while the box stops: a listener must not believe the part that was heard. It takes the time of the
            // rest, so nothing is delayed further.
            _ = await play(announcer.announcement(of: .prompt(.cancelled)))
        case .withdrawn: readInboxNext()
        case .failed: await waitForDevice(&deviceFailures)
        }
    }

    /// - Returns: the part that still waits; `nil` for none. A summary is announced without the cancelled payments: to
    ///   start again at each cancel would delay it for as long as cancels arrive.
    private func begin(_ announcement: Announcer.Announcement) throws(InboxError) -> Announcer.Announcement? {
        switch announcement.job {
        case .say(let entry, _, _): return try begin(entry) ? announcement : nil
        case .summary(let entries):
            let rest = try begin(entries)
            return rest.isEmpty ? nil : Announcer.Announcement(.summary(rest), announcement.delivery)
        default: return try begin(announcement.job.entries).isEmpty ? nil : announcement
        }
    }

    private func recordHeard(_ announcement: Announcer.Announcement, _ audibility: Audibility) async {
        let job = announcement.job
        if case .say(let entry, _, let failure) = job {
            return await recordEnd(of: entry, failure.map { .failed(reason: $0) } ?? .spoken(audibility))
        }
        announcer.wasHeard(job)
        // The next notice waits for this commit: after a power cut only one notice can be spoken twice, never two.
        let isAtOnce = await untilOnDisk { () throws(InboxError) in try record(job, audibility) }
        // After the commit, so that a power cut does not repeat the amount. Not after a retry: the listener would not
        // know which payment the text belongs to.
        if case .notice(let entry) = job, entry.notice.text != nil, isAtOnce, !isOver {
            let delivery = announcer.delivery(of: .text(entry), as: announcement.delivery)
            _ = await play(Announcer.Announcement(.text(entry), delivery))
        }
    }

    private func recordEnd(of entry: CustomMessageEntry, _ end: CustomMessageEnd) async {
        var hasEnded = false
        await untilOnDisk { () throws(InboxError) in hasEnded = try self.end(entry, end) }
        if hasEnded, end == .missed { requests.say(.ringMissed) }
    }

    // MARK: Rings

    /// Plays one repeat.
    private func sound(_ ring: Rings.Ring, _ deviceFailures: inout Int) async {
        let words = ring.lacksWords ? .silence : words(of: ring.entry)
        if words == nil, let due = ring.wordsAreDue, now < due { return await wait(atMost: due - now) }
        guard await openDevice() else { return await notHeard(ring, &deviceFailures) }
        guard !isOver else { return }
        do throws(InboxError) {
            guard try begin(ring.entry) else { return readInboxNext() }
        } catch {
            // A stored ring must be heard.
        }
        switch await play(announcer.announcement(of: .ring(ring.entry, words ?? .silence), at: moment)) {
        case .played:
            deviceFailures = 0
            announcer.rings.wasHeard(ring, lacksWords: ring.lacksWords, at: now)
        case .saidOtherwise:
            deviceFailures = 0
            announcer.rings.wasHeard(ring, lacksWords: true, at: now)
        case .stoppedEarly, .withdrawn:
            announcer.rings.wasStopped(ring, at: now)
            readInboxNext()
        case .failed: await notHeard(ring, &deviceFailures)
        }
    }

    private func notHeard(_ ring: Rings.Ring, _ deviceFailures: inout Int) async {
        announcer.rings.failed(ring, soundFault ?? "it could not be played", at: now)
        await waitForDevice(&deviceFailures, until: ring.deadline)
    }

    // MARK: Answers

    private func answer(_ request: Announcer.Request, _ deviceFailures: inout Int) async {
        do throws(InboxError) {
            guard let (job, moment) = try job(for: request), !isOver else { return }
            let outcome = await sound(announcer.announcement(of: job, at: moment))
            if case .played = outcome {
                deviceFailures = 0
                repeatCode(request)
            } else if case .dayEnd(let day) = request, outcome == .failed {
                if deviceFailures < Announcer.mostAttemptsOfDay { ask(again: day) }
                await waitForDevice(&deviceFailures)
            }
            // Other requests are not retried: nobody waits minutes for a replay.
        } catch {
            // Drop the other requests: an unreadable history must not delay payments.
            guard case .dayEnd(let day) = request else { return }
            ask(again: day)
            await waitForDisk()
        }
    }

    private func ask(again day: BusinessDay) { requests.with { $0.endedDay = $0.endedDay ?? day } }

    private func repeatCode(_ request: Announcer.Request) {
        guard case .signInCode(let asked) = request, !asked.isRepetition else { return }
        let repetition = Announcer.AskedCode(asked.code, askedAt: asked.askedAt, isRepetition: true)
        // A newer code takes precedence.
        requests.with { $0.code = $0.code ?? repetition }
    }

    // MARK: Waits that can be interrupted

    /// Retries once a second until `body` succeeds, and once more when the box must stop: what was heard or answered
    /// would be lost by the restart.
    /// - Returns: whether the first attempt succeeded.
    @discardableResult
    private func untilOnDisk(_ body: () throws(InboxError) -> Void) async -> Bool {
        var isAtOnce = true
        while true {
            let isLast = isOver
            do throws(InboxError) {
                try body()
                return isAtOnce
            } catch {
                if isLast { return false }
                await waitForDisk()
            }
            isAtOnce = false
        }
    }

    /// Waits 1 s and speaks prompts meanwhile: a storage fault must be heard while it lasts.
    private func waitForDisk() async {
        let end = now + .seconds(1)
        while !isOver, now < end {
            if let prompt = requests.with({ $0.prompts.popFirst() }) {
                _ = await sound(announcer.announcement(of: .prompt(prompt)))
            } else {
                await wait(atMost: end - now)
            }
        }
        readInboxNext()
    }

    private func waitForDevice(_ deviceFailures: inout Int, until deadline: Duration? = nil) async {
        deviceFailures += 1
        let retry = now + Announcer.deviceRetryDelay(failures: deviceFailures)
        let end = min(retry, deadline ?? retry)
        while !isOver, now < end { await wait(atMost: end - now) }
        readInboxNext()
    }

    private func readInboxNext() { requests.with { $0.inboxChanged = true } }
}
