import SoundboxCore
import SoundboxSpeech

/// What the announcer does to the inbox, the sound card and the log: the service does it for real, tests do it in
/// virtual time. ``announce()`` decides the order, strictly one after the other.
protocol AnnouncerWork: Actor {
    var announcer: Announcer { get set }
    var requests: AnnouncerRequests { get }
    /// On a clock that is never set.
    var now: Duration { get }
    /// Returns when something is asked for, and after `limit` in any case.
    func wait(atMost limit: Duration?) async

    /// Reads what waits, with at most so many payments.
    func read(limit: Int) throws(InboxError) -> Announcer.Reading
    var moment: Announcer.Moment { get }
    /// The words of a ring, none for the bell alone; `nil` while they are made.
    func words(of ring: CustomMessageEntry) -> AnnouncementScript?
    /// Shows who rings, or that nobody does.
    func show(_ ring: Rings.Ring?)
    /// Why nothing was heard, as far as is known.
    var soundFault: String? { get }
    /// Looks up what was asked for; `nil` when it is too late for it.
    func job(for request: Announcer.Request) throws(InboxError) -> (Announcer.Job, Announcer.Moment)?
    /// These sound next: from now on a cancel ends them.
    /// - Returns: those that still wait.
    func begin(_ entries: [InboxEntry]) throws(InboxError) -> [InboxEntry]
    /// This sounds next.
    /// - Returns: whether it still waits.
    func begin(_ entry: CustomMessageEntry) throws(InboxError) -> Bool
    /// Notes that it has been announced, and how.
    func record(_ job: Announcer.Job, _ audibility: Audibility) throws(InboxError)
    /// Notes that these were too late, and that nothing was said of them.
    func expire(_ entries: [InboxEntry]) throws(InboxError)
    /// Notes how it ended.
    /// - Returns: `false` when it was cancelled.
    func end(_ entry: CustomMessageEntry, _ end: CustomMessageEnd) throws(InboxError) -> Bool

    /// Checks the sound card, and opens it where it was lost.
    func checkDevice() async
    /// Opens the sound card.
    /// - Returns: whether it is open.
    func openDevice() async -> Bool
    /// Plays it from its start to its last frame.
    func play(_ announcement: Announcer.Announcement) async -> Announcer.Outcome
}

extension AnnouncerWork {
    /// Announces what waits and answers what is asked for, until it is to stop or its task is cancelled. What is
    /// playing then is finished and recorded.
    func announce() async {
        // In a row.
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
        // What was answered is not to ring again after the restart, if the disk takes that.
        let answered = requests.with { $0.answered }
        if case (let entry, .answered)? = announcer.rings.end(answered: answered, at: now) {
            _ = try? end(entry, .answered)
        }
    }

    private var isOver: Bool { isStopping || Task.isCancelled }
    private var isStopping: Bool { requests.with { $0.isStopping } }

    /// - Returns: `nil` when it is to stop.
    private func choose() async -> Announcer.Step? {
        var step = next(nil)
        while case .read(let limit) = step {
            var reading: Announcer.Reading?
            await untilOnDisk { () throws(InboxError) in reading = try read(limit: limit) }
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
            // A payment that is on the disk must be heard. A sentence can wait.
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
            // Also when the box is to stop: what was heard of it must not stand. In the place of the rest, so that
            // nobody is delayed any further.
            _ = await play(announcer.announcement(of: .prompt(.cancelled)))
        case .withdrawn: readInboxNext()
        case .failed: await waitForDevice(&deviceFailures)
        }
    }

    /// - Returns: what still waits of it; `nil` when nothing does. A summary is told without those that were cancelled:
    ///   another one that began again would be held up for as long as payments are cancelled.
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
        // The next notice waits: a power cut now would have this one spoken again, and two in doubt would be worse.
        let isAtOnce = await untilOnDisk { () throws(InboxError) in try record(job, audibility) }
        // Not before the notice is on the disk as heard, so that no power cut has the money told twice; and not after
        // a wait, when nobody knows any more what the text belongs to.
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

    /// Once.
    private func sound(_ ring: Rings.Ring, _ deviceFailures: inout Int) async {
        let words = ring.lacksWords ? .silence : words(of: ring.entry)
        if words == nil, let due = ring.wordsAreDue, now < due { return await wait(atMost: due - now) }
        guard await openDevice() else { return await notHeard(ring, &deviceFailures) }
        guard !isOver else { return }
        do throws(InboxError) {
            guard try begin(ring.entry) else { return readInboxNext() }
        } catch {
            // A ring that is on the disk must be heard.
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
        announcer.rings.failed(ring, soundFault ?? "it could not be played")
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
            // Nobody waits at the counter for a replay that comes minutes later.
        } catch {
            // The others are dropped: a history that cannot be read must not hold payments back.
            guard case .dayEnd(let day) = request else { return }
            ask(again: day)
            await waitForDisk()
        }
    }

    private func ask(again day: BusinessDay) { requests.with { $0.endedDay = $0.endedDay ?? day } }

    private func repeatCode(_ request: Announcer.Request) {
        guard case .signInCode(let asked) = request, !asked.isRepetition else { return }
        let repetition = Announcer.AskedCode(asked.code, askedAt: asked.askedAt, isRepetition: true)
        // Another one may have been asked for.
        requests.with { $0.code = $0.code ?? repetition }
    }

    // MARK: Waits that can be interrupted

    /// Tries again each second until it is on the disk, or the box is to stop.
    /// - Returns: whether the first attempt succeeded.
    @discardableResult
    private func untilOnDisk(_ body: () throws(InboxError) -> Void) async -> Bool {
        var isAtOnce = true
        while true {
            do throws(InboxError) {
                try body()
                return isAtOnce
            } catch { await waitForDisk() }
            isAtOnce = false
            if isOver { return false }
        }
    }

    /// Prompts are spoken meanwhile: what the box says of its trouble must not wait for the trouble to end.
    private func waitForDisk() async {
        let end = now + .seconds(1)
        while !isOver, now < end {
            if let prompt = requests.with({ $0.prompts.take() }) {
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
