import SoundboxCore
import SoundboxVoice

/// The speech of one announcement, decoded piece by piece.
struct Words {
    private let elements: [AnnouncementScript.Element]
    private let sampleRate: Int
    private var pieces: [Splicer.Piece] = []
    /// Whether the speech was joined and handed over.
    private(set) var areComplete = false

    init(_ elements: [AnnouncementScript.Element], sampleRate: Int) {
        self.elements = elements
        self.sampleRate = sampleRate
    }

    /// Decodes one more recording, if one is left.
    mutating func decodeNext(_ voices: Voices) throws(PlayerError) {
        guard !areComplete, pieces.count < elements.count else { return }
        switch elements[pieces.count] {
        case .pause(let duration): pieces.append(silence(duration))
        case .phrase(let index):
            do { pieces.append(.sound(try voices.samples(of: .phrase(index), at: sampleRate))) } catch {
                throw .recording(.phrase(index), error)
            }
        }
    }

    /// Decodes what is left and joins all.
    mutating func joined(to gap: Duration, _ voices: Voices) throws(PlayerError) -> [Int16] {
        while pieces.count < elements.count { try decodeNext(voices) }
        areComplete = true
        let joined = Splicer(sampleRate: sampleRate).joined(pieces + [silence(gap)])
        pieces = []
        return joined
    }

    private func silence(_ duration: Duration) -> Splicer.Piece {
        .silence(Int(duration / .nanoseconds(1_000_000_000 / Double(sampleRate))))
    }
}
