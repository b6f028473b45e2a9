import Logging
import ServiceLifecycle
import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem

/// Performs what ``Ringer`` decides, for as long as the box runs.
///
/// Runs on a thread of its own, since the book blocks. Whatever that does, a press and a cancel silence the speaker from
/// the thread that brings them. On shutdown a ring ends at once and stays in the book.
package actor RingService: Service {
    /// What others are told. None of it may block.
    package struct Hooks: Sendable {
        /// A receipt was written.
        package var receiptsAreWaiting: @Sendable () -> Void
        /// A ring's time ran out: it is to be said once.
        package var missed: @Sendable () -> Void
        /// Whether a ring sounds, or would if it could: at each change.
        package var ringChanged: @Sendable (_ isRinging: Bool) -> Void
        /// All that waits in the book, after each look: what needs time is made ready.
        package var prepare: @Sendable ([ErrandEntry]) -> Void

        package init(
            receiptsAreWaiting: @escaping @Sendable () -> Void, missed: @escaping @Sendable () -> Void,
            ringChanged: @escaping @Sendable (_ isRinging: Bool) -> Void = { _ in },
            prepare: @escaping @Sendable ([ErrandEntry]) -> Void = { _ in }
        ) {
            self.receiptsAreWaiting = receiptsAreWaiting
            self.missed = missed
            self.ringChanged = ringChanged
            self.prepare = prepare
        }
    }

    private let executor = ThreadExecutor(name: "ringer")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    /// How long the ringer's thread has been busy with its current call: normally no longer than a commit. Any thread.
    package nonisolated var timeInJob: Duration { executor.timeInJob }

    private let book: any ErrandBook
    private let clock: BoxClock
    private let player: any RingPlayer
    private let sound: @Sendable (ErrandEntry) -> AnnouncementScript?
    private let quietTime: QuietTime
    private let state: BoxState
    private let logger: Logger
    private let hooks: Hooks
    private let events = RingEvents()
    private var machine = Ringer()
    private var ringing: CommandID?
    private var timer: Task<Void, Never>?
    /// Why the ring was last not heard as it should be; logged once, and not at each attempt.
    private var soundFault: String?

    /// When the box is stopped, the end of a ring that was answered may take this long to be on the disk.
    private static let timeToFinish = Duration.seconds(5)

    /// - Parameters:
    ///   - sound: the words of a ring, without any for the tone alone; `nil` while they are being made. Must not block.
    package init(
        book: any ErrandBook, clock: BoxClock, player: any RingPlayer, quietTime: QuietTime = QuietTime(),
        state: BoxState,
        logger: Logger, hooks: Hooks, sound: @escaping @Sendable (ErrandEntry) -> AnnouncementScript?
    ) {
        self.book = book
        self.clock = clock
        self.player = player
        self.sound = sound
        self.quietTime = quietTime
        self.state = state
        self.logger = logger
        self.hooks = hooks
    }

    // MARK: From any thread

    /// After a commit that brought a ring, or a cancel. Never blocks; any thread.
    package nonisolated func ringsMayWait() { events.yield(.ringsMayWait) }

    /// Words that were not ready may be now. Never blocks; any thread.
    package nonisolated func soundsChanged() { events.yield(.soundsChanged) }

    /// Silences a ring that is being cancelled, also one that has not come yet: before the cancel is on the disk, and
    /// whatever becomes of it there. Never blocks; any thread.
    package nonisolated func hush(_ target: CancelTarget) {
        guard case .errand(let id) = target, events.hush(id) else { return }
        silence()
    }

    /// Somebody has pressed the button. Never blocks; any thread.
    /// - Returns: whether something rang; otherwise the press means what it always means.
    package nonisolated func answer() -> Bool {
        guard events.answer() else { return false }
        silence()
        return true
    }

    private nonisolated func silence() {
        player.stopRing()
        // The next ring may have begun between the two lines of whoever called: it is not to stay silent.
        Task { await soundAgain() }
    }

    // MARK: The loop

    /// Once it is to stop, ends within ``timeToFinish``, whatever the disk does.
    package func run() async {
        let end = OneTimeSignal()
        let work = Task {
            await ring()
            end.signal()
        }
        await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                await end.wait()
            } onGracefulShutdown: { [events, player] in
                events.turn(to: nil)
                player.stopRing()
                events.yield(.stopRequested)
                Task {
                    await end.wait(atMost: Self.timeToFinish)
                    work.cancel()
                    end.signal()
                }
            }
        } onCancel: {
            work.cancel()
        }
    }

    private func ring() async {
        // What was waiting when the box went off.
        events.yield(.ringsMayWait)
        for await event in events {
            guard handle(event) else { break }
        }
        timer?.cancel()
        show(nil)
        player.stopRing()
    }

    /// - Returns: whether the loop goes on.
    private func handle(_ event: Ringer.Event) -> Bool {
        logFault(event)
        let actions = machine.handle(event, at: .monotonicNow)
        show(machine.ringing)
        for action in actions {
            if action == .finish { return false }
            // Behind what has come in meanwhile: a cancel is heard before the ring begins.
            if let answer = perform(action) { events.yield(answer) }
        }
        setTimer()
        return true
    }

    private func setTimer() {
        timer?.cancel()
        timer = machine.nextDue.map { due in
            Task { [events] in
                do { try await Task.sleep(for: due - .monotonicNow) } catch { return }
                events.yield(.timePassed)
            }
        }
    }

    private func perform(_ action: Ringer.Action) -> Ringer.Event? {
        switch action {
        case .fetch:
            return answer { () throws(InboxError) in
                let entries = try book.errands()
                hooks.prepare(entries)
                return .fetched(entries, clock.reading)
            }
        case .note(let entry):
            return answer { () throws(InboxError) in try book.markSounding(entry) ? .noted : .withdrawn }
        case .end(let entry, let end):
            return answer { () throws(InboxError) in
                guard try book.end(entry, as: end, at: clock.now) else { return .endedAlready }
                logger.notice("ring over", metadata: ["id": "\(entry.errand.id)", "end": "\(end.summary)"])
                hooks.receiptsAreWaiting()
                return .ended
            }
        case .ask(let entry): return .words(entry.errand.id, areReady: sound(entry) != nil)
        case .start(let entry, let withWords, let attempt): start(entry, withWords: withWords, attempt: attempt)
        case .stop: player.stopRing()
        case .tellMissed: hooks.missed()
        case .report(let mismatch):
            logger.error("a mistake of the program", metadata: ["reason": "\(mismatch)"])
            state.update { $0.announcerMismatches += 1 }
        case .finish: break
        }
        return nil
    }

    private func answer(_ body: () throws(InboxError) -> Ringer.Event) -> Ringer.Event {
        do throws(InboxError) {
            let event = try body()
            state.update { $0.ringFault = nil }
            return event
        } catch {
            // Once per fault, not once per attempt.
            let isNew = state.snapshot.ringFault == nil
            if isNew { logger.error("the inbox failed, trying again", metadata: ["reason": "\(error)"]) }
            state.update { $0.ringFault = error.description }
            return .inboxFailed
        }
    }

    // MARK: Sound and light

    /// Tells panel, status and announcer at each change which ring it is.
    private func show(_ ring: (entry: ErrandEntry, deadline: Duration)?) {
        guard ring?.entry.errand.id != ringing else { return }
        let rang = ringing != nil
        ringing = ring?.entry.errand.id
        events.turn(to: ringing)
        state.update { state in
            state.ring = ring.map { BoxState.Ring(of: $0.entry.errand, until: $0.deadline) }
        }
        if rang != (ring != nil) { hooks.ringChanged(ring != nil) }
        soundFault = nil
        guard let errand = ring?.entry.errand else { return }
        logger.notice("ringing", metadata: ["id": "\(errand.id)", "text": "\(errand.content.summary)"])
    }

    private func start(_ entry: ErrandEntry, withWords: Bool, attempt: Int) {
        let id = entry.errand.id
        guard events.begin(id, attempt: attempt) else { return }
        let words = withWords ? sound(entry) : nil
        player.startRing(
            words ?? AnnouncementScript(text: "", elements: []), loudness: loudness,
            failed: { [events] error in
                events.yield(
                    error.isOfWords && withWords
                        ? .wordsFailed(attempt: attempt, reason: error.description)
                        : .failed(attempt: attempt, reason: error.description))
            },
            began: { [events] in events.yield(.began(attempt: attempt)) })
        // A press or a cancel that came between the two has found nothing to silence.
        if !events.mayRing(id) { player.stopRing() }
    }

    /// After a press or a cancel, on which another ring may have been silenced by mistake.
    func soundAgain() {
        guard let attempt = machine.attemptOnCard, let ringing, events.mayRing(ringing), !player.isRinging else {
            return
        }
        events.yield(.failed(attempt: attempt, reason: "it was silenced together with the ring before it"))
    }

    private func logFault(_ event: Ringer.Event) {
        switch event {
        case .failed(_, let reason) where soundFault != reason, .wordsFailed(_, let reason) where soundFault != reason:
            soundFault = reason
            logger.error("the ring does not sound as it should", metadata: ["reason": "\(reason)"])
        default: break
        }
    }

    private var loudness: ClosedRange<Volume> {
        Volume(0)...Volume(quietTime.volumeNow ?? Volume.range.upperBound)
    }
}

extension PlayerError {
    /// Whether the card would, and the tone alone might be heard.
    fileprivate var isOfWords: Bool { if case .recording = self { true } else { false } }
}

extension ErrandEnd {
    /// For the log.
    fileprivate var summary: String {
        switch self {
        case .answered: "answered"
        case .missed: "missed"
        case .spoken(let manner): manner.rawValue
        case .failed(let reason): "failed: \(reason)"
        case .expired: "expired"
        }
    }
}
