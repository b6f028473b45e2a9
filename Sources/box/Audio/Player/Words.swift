import SoundboxCore
import SoundboxSpeech
import SoundboxVoice

/// The speech of one announcement, decoded piece by piece.
struct Words: Sendable {
    private let script: AnnouncementScript
    private let sampleRate: Int
    private let decoded: DecodedRecordings
    private var pieces: [Splicer.Piece] = []
    /// Whether the speech was joined and handed over, or is no longer wanted.
    private(set) var areComplete = false

    /// - Parameter decoded: what other announcements have decoded.
    init(_ script: AnnouncementScript, sampleRate: Int, decoded: DecodedRecordings = DecodedRecordings()) {
        self.script = script
        self.decoded = decoded
        self.sampleRate = sampleRate
    }

    /// Decodes one more recording, if one is left.
    mutating func decodeNext(_ voices: Voices) throws(PlayerError) {
        guard !areComplete, pieces.count < script.elements.count else { return }
        switch script.elements[pieces.count] {
        case .pause(let duration): pieces.append(silence(duration))
        case .phrase(let index):
            do { pieces.append(.sound(try decoded.samples(of: .phrase(index), by: voices, at: sampleRate))) } catch {
                throw .recording(.phrase(index), error)
            }
        case .sound(let sound):
            do { pieces.append(.sound(try sound.samples(at: sampleRate))) } catch { throw .sound(error) }
        }
    }

    /// Decodes the rest and joins everything.
    mutating func joined(to gap: Duration, _ voices: Voices) throws(PlayerError) -> Speech {
        while pieces.count < script.elements.count { try decodeNext(voices) }
        let joined = Splicer(sampleRate: sampleRate).spliced(pieces + [silence(gap)])
        drop()
        return Speech(joined.samples, at: sampleRate, of: script, places: Array(joined.places.dropLast()))
    }

    /// Frees the pieces; the speech is not wanted.
    mutating func drop() {
        areComplete = true
        pieces = []
    }

    private func silence(_ duration: Duration) -> Splicer.Piece {
        .silence(Int(duration / .nanoseconds(1_000_000_000 / Double(sampleRate))))
    }
}
