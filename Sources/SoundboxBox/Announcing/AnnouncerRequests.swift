import SoundboxCore
import SoundboxSpeech
import Synchronization

/// What the announcer has been asked for and has not done yet. Its size is bounded, however often it is asked: of each
/// kind only the last request counts, and of prompts the last of each ``Prompt/Concern``.
///
/// ```swift
/// requests.say(.volumeUp)
/// requests.play(.today)
/// requests.inboxChanged()
/// ```
///
/// Any thread; never blocks.
package final class AnnouncerRequests: Sendable {
    private let asked = Mutex(Announcer.Asked())
    private let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation

    package init() { (changes, change) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    /// For the announcer's own decisions: wakes nobody.
    func with<Result: Sendable>(_ body: (inout Announcer.Asked) -> Result) -> Result { asked.withLock { body(&$0) } }

    private func add(_ body: (inout Announcer.Asked) -> Void) {
        with(body)
        change.yield()
    }

    /// The inbox may have grown, or something to be said has become ready.
    package func inboxChanged() { add { $0.inboxChanged = true } }

    /// Speaks a prompt between two announcements.
    package func say(_ prompt: Prompt) { add { $0.prompts.put(prompt) } }

    /// Takes a prompt back that has not begun to sound.
    package func withdraw(_ prompt: Prompt) { add { $0.prompts.withdraw(prompt) } }

    /// Answers a button or a command. Five presses ask for one answer, not for five in a row.
    package func play(_ request: Announcer.Request) {
        add { asked in
            // Kept separately: neither replaces nor is replaced by another request.
            if case .signInCode(let code) = request { asked.code = code } else { asked.request = request }
        }
    }

    /// Tells a day's takings. No other request takes its place, and a sound card that refuses is tried again for ten
    /// minutes.
    package func tell(_ day: BusinessDay) { add { $0.endedDay = day } }

    /// Somebody has pressed the button.
    /// - Returns: the ring that is answered by it, if one has its turn.
    func answerRing() -> CommandID? {
        let ring = with { asked -> CommandID? in
            guard let ring = asked.ring.take() else { return nil }
            asked.answered = ring
            return ring
        }
        if ring != nil { change.yield() }
        return ring
    }

    /// Checks the sound card when nothing else is to be done.
    func checkDevice() { add { $0.deviceCheckIsDue = true } }

    /// Finish what is playing, then stop.
    func stop() { add { $0.isStopping = true } }

    /// Returns when something is asked for, when `limit` has passed, or when the task is cancelled; at times for no
    /// reason. For one task only.
    func wait(atMost limit: Duration?) async {
        let timer = limit.map { limit in
            Task { [change] in
                // One that is cancelled must wake nobody: the next wait would end at once, and so would all behind it.
                do { try await Task.sleep(for: limit) } catch { return }
                change.yield()
            }
        }
        defer { timer?.cancel() }
        for await _ in changes { return }
    }
}
