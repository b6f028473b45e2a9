import SoundboxCore
import SoundboxSpeech
import Synchronization

/// Open requests to the announcer:
///
///     requests.say(.volumeUp)
///     requests.play(.today)
///     requests.inboxChanged()
///
/// The size is bounded: of each kind of request only the last counts, and of prompts the last of each
/// ``Prompt/Concern``.
///
/// Any thread; never blocks.
package final class AnnouncerRequests: Sendable {
    private let asked = Mutex(Announcer.Asked())
    private let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation

    package init() { (changes, change) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    /// For the announcer itself: does not wake it.
    func with<Result: Sendable>(_ body: (inout Announcer.Asked) -> Result) -> Result { asked.withLock { body(&$0) } }

    private func add(_ body: (inout Announcer.Asked) -> Void) {
        with(body)
        change.yield()
    }

    /// Call when the inbox may have grown, or when a sound has become ready.
    package func inboxChanged() { add { $0.inboxChanged = true } }

    /// Speaks a prompt between two announcements.
    package func say(_ prompt: Prompt) { add { $0.prompts.put(prompt) } }

    /// Removes a prompt that has not begun to play.
    package func withdraw(_ prompt: Prompt) { add { $0.prompts.withdraw(prompt) } }

    /// Answers a button or a command. Five presses give one answer.
    package func play(_ request: Announcer.Request) {
        add { asked in
            // Kept separately: neither replaces nor is replaced by another request.
            if case .signInCode(let code) = request { asked.code = code } else { asked.request = request }
        }
    }

    /// Announces a day's takings. Kept apart from ``play(_:)``; if the sound card fails, retried for ten minutes
    /// (``Announcer/mostAttemptsOfDay``).
    package func tell(_ day: BusinessDay) { add { $0.endedDay = day } }

    /// Call when the button was pressed.
    /// - Returns: the ring that the press answers; `nil` for none.
    func answerRing() -> CommandID? {
        let ring = with { asked -> CommandID? in
            guard let ring = asked.ring.take() else { return nil }
            asked.answered = ring
            return ring
        }
        if ring != nil { change.yield() }
        return ring
    }

    /// Checks the sound card when nothing else is queued.
    func checkDevice() { add { $0.deviceCheckIsDue = true } }

    /// Stops the announcer after the current announcement.
    func stop() { add { $0.isStopping = true } }

    /// Returns at the next request, after `limit`, or when the task is cancelled; spurious returns happen. Call from
    /// one task only.
    func wait(atMost limit: Duration?) async {
        let timer = limit.map { limit in
            Task { [change] in
                // A cancelled timer must not yield: the next wait would return at once.
                do { try await Task.sleep(for: limit) } catch { return }
                change.yield()
            }
        }
        defer { timer?.cancel() }
        for await _ in changes { return }
    }
}

/// What the announcer tells the rest of the box. On its thread; must not block.
package protocol AnnouncerDelegate: Sendable {
    /// After every commit that wrote receipts.
    func receiptsAreWaiting()
    /// When a prompt was heard to its end, neither muted nor too soft.
    func heard(_ prompt: Prompt)
    /// Every few seconds, so that other checks share the announcer's wake-up.
    func runPeriodicChecks()
}

extension AnnouncerService {
    init(
        in box: BoxContext, _ sounds: any SpokenCustomMessages, _ quietTime: QuietTime, _ day: ShopDay,
        _ delegate: any AnnouncerDelegate
    ) {
        // If the disk refuses, every ring counts as one of an earlier run: a ring of yesterday must not call anybody.
        let lastEarlierCustomMessage =
            (try? box.inbox.customMessages()).map { $0.map(\.sequence).max() ?? 0 } ?? .max
        self.init(
            announcer: Announcer(box.settings, lastEarlierCustomMessage: lastEarlierCustomMessage),
            inbox: box.inbox, customMessages: sounds, clock: box.clock, player: box.player, voices: box.voices,
            state: box.state, logger: box.logger, metrics: box.metrics, requests: box.requests, ages: box.ages,
            quietTime: quietTime, day: day, delegate: delegate)
    }
}

// MARK: Custom messages

/// The store and the sounds of custom messages and of notices' texts, for the announcer.
package protocol SpokenCustomMessages: Sendable {
    var store: any CustomMessageStore { get }
    /// Starts to make or fetch the sounds of these, and forgets the sounds of all others. Never blocks.
    func prepare(_ entries: [CustomMessageEntry])
    /// The current state of its sound. The maker calls ``AnnouncerRequests/inboxChanged()`` at each change. Never
    /// blocks.
    func speech(of entry: CustomMessageEntry) -> Announcer.Speech
    /// The words of a ring, empty for the bell alone; `nil` while they are being made. Never blocks.
    func words(of ring: CustomMessageEntry) -> AnnouncementScript?
    /// The words of a notice's text; `nil` if there are none. Suspends for a bounded time while they are made.
    func words(ofText text: String) async -> AnnouncementScript?
}
