import SoundboxCore
import SoundboxSpeech

/// What the announcer tells the rest of the box. On its thread; must not block.
package protocol AnnouncerDelegate: Sendable {
    /// After every commit that wrote receipts.
    func receiptsAreWaiting()
    /// When a prompt was heard to its end, neither muted nor too soft.
    func heard(_ prompt: Prompt)
    /// Every few seconds, so that other checks share the announcer's wake-up.
    func look()
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
