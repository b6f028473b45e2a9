import SoundboxCore
import SoundboxSystem
import Synchronization

/// Words for a text, made while something else sounds. Any thread.
final class WordsInTheMaking: Sendable {
    let text: String
    private let made = Mutex<AnnouncementScript?>(nil)
    private let end = OneTimeSignal()

    init(_ text: String, _ make: @escaping @Sendable (String) async -> AnnouncementScript?) {
        self.text = text
        Task {
            let script = await make(text)
            made.withLock { $0 = script }
            end.signal()
        }
    }

    /// - Returns: `nil` where there are none, or none by then.
    func script(within limit: Duration) async -> AnnouncementScript? {
        await end.wait(atMost: limit)
        return made.withLock { $0 }
    }
}
