import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import Synchronization

/// Words for a text, made while something else sounds. Any thread.
final class WordsInTheMaking: Sendable {
    let text: String
    private let making: Task<Void, Never>
    private let product = Product()

    private final class Product: Sendable {
        let script = Mutex<AnnouncementScript?>(nil)
        let end = OneTimeSignal()
    }

    init(_ text: String, _ make: @escaping @Sendable (String) async -> AnnouncementScript?) {
        self.text = text
        making = Task { [product] in
            let script = await make(text)
            product.script.withLock { $0 = script }
            product.end.signal()
        }
    }

    /// - Returns: `nil` where there are none, or none by then.
    func script(within limit: Duration) async -> AnnouncementScript? {
        await product.end.wait(atMost: limit)
        return product.script.withLock { $0 }
    }

    /// Nobody will ask for them.
    func giveUp() { making.cancel() }
}
