import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import Synchronization

/// Words of a text, made while something else plays. Any thread; never blocks.
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

    /// - Returns: `nil` if there are none within `limit`.
    func script(within limit: Duration) async -> AnnouncementScript? {
        await product.end.wait(atMost: limit)
        return product.script.withLock { $0 }
    }

    /// Call when the words are no longer needed.
    func giveUp() { making.cancel() }
}
