import SoundboxCore
import SoundboxSpeech

/// The store and the sounds of custom messages and of notices' texts, for the announcer.
package struct SpokenCustomMessages: Sendable {
    package var store: any CustomMessageStore
    /// Starts to make or fetch the sounds of these, and forgets the sounds of all others. Must not block.
    package var prepare: @Sendable ([CustomMessageEntry]) -> Void
    /// The current state of its sound. The maker calls ``AnnouncerRequests/inboxChanged()`` at each change. Must not
    /// block.
    package var speech: @Sendable (CustomMessageEntry) -> Announcer.Speech
    /// The words of a ring, empty for the bell alone; `nil` while they are being made. Must not block.
    package var ringWords: @Sendable (CustomMessageEntry) -> AnnouncementScript?
    /// The words of a notice's text; `nil` if there are none. Suspends for a bounded time while they are made.
    package var words: @Sendable (String) async -> AnnouncementScript?

    package init(
        store: any CustomMessageStore, prepare: @escaping @Sendable ([CustomMessageEntry]) -> Void,
        speech: @escaping @Sendable (CustomMessageEntry) -> Announcer.Speech,
        ringWords: @escaping @Sendable (CustomMessageEntry) -> AnnouncementScript? = { _ in .silence },
        words: @escaping @Sendable (String) async -> AnnouncementScript? = { _ in nil }
    ) {
        self.store = store
        self.prepare = prepare
        self.speech = speech
        self.ringWords = ringWords
        self.words = words
    }
}
