import SoundboxCore
import SoundboxSpeech

/// What the announcer needs for what commands give it to say, and for the texts of notices.
package struct SpokenCustomMessages: Sendable {
    package var store: any CustomMessageStore
    /// Has the sound of these made or fetched, as far as it needs that; of others it is forgotten. Must not block.
    package var prepare: @Sendable ([CustomMessageEntry]) -> Void
    /// What there is by now to be heard of it. Whoever makes it tells ``AnnouncerRequests/inboxChanged()`` when that
    /// changes. Must not block.
    package var speech: @Sendable (CustomMessageEntry) -> Announcer.Speech
    /// The words of a ring, without any for the bell alone; `nil` while they are made. Must not block.
    package var ringWords: @Sendable (CustomMessageEntry) -> AnnouncementScript?
    /// Words for a notice's text; `nil` where there are none. Suspends while they are made, which has a bound.
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
