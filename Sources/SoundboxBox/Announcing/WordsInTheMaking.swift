import SoundboxCore
import SoundboxSystem
import Synchronization

/// Words for a text, made while something else sounds. Any thread.
final class WordsInTheMaking: Sendable {
    let text: String
    private let making: Task<Void, Never>
    private let result = Result()

    private final class Result: Sendable {
        let script = Mutex<AnnouncementScript?>(nil)
        let end = OneTimeSignal()
    }

    init(_ text: String, _ make: @escaping @Sendable (String) async -> AnnouncementScript?) {
        self.text = text
        making = Task { [result] in
            let script = await make(text)
            result.script.withLock { $0 = script }
            result.end.signal()
        }
    }

    /// - Returns: `nil` where there are none, or none by then.
    func script(within limit: Duration) async -> AnnouncementScript? {
        await result.end.wait(atMost: limit)
        return result.script.withLock { $0 }
    }

    /// Nobody will ask for them.
    func giveUp() { making.cancel() }
}
