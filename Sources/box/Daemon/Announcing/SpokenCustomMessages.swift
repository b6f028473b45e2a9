import SoundboxCore
import SoundboxSpeech

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
