import SoundboxVoice
import Synchronization

/// Decodes recordings for the mixer, and keeps those that were spoken last.
///
///     let decoded = DecodedRecordings()
///     let samples = try decoded.samples(of: .phrase(3), by: voices, at: 48_000)
///
/// One lock for each recording, which only a thread that was left behind could hold, and never while it decodes.
final class DecodedRecordings: Sendable {
    private let shelf: Mutex<RecordingShelf>

    /// - Parameter mostBytes: how much is kept.
    init(mostBytes: Int = RecordingShelf.mostBytes) { shelf = Mutex(RecordingShelf(mostBytes: mostBytes)) }

    /// The recording at a device's rate, as ``Voices/samples(of:at:)`` gives it. Blocks on the disk for one that is not
    /// kept.
    func samples(
        of part: Voice.Part, by voices: Voices, at sampleRate: Int
    ) throws(RecordingError) -> [Int16] {
        if let kept = shelf.withLock({ $0.samples(of: part, at: sampleRate) }) { return kept }
        let samples = try voices.samples(of: part, at: sampleRate)
        shelf.withLock { $0.keep(samples, of: part, at: sampleRate) }
        return samples
    }

    func forget(where isForgotten: (Voice.Part) -> Bool) { shelf.withLock { $0.forget(where: isForgotten) } }
}

/// Decoded recordings of one rate, up to a size; the one that was not used for longest goes first.
struct RecordingShelf {
    /// 83 seconds at 48 kHz: every amount below a hundred, or a shop's usual ones.
    static let mostBytes = 8 << 20

    private let mostBytes: Int
    private var sampleRate = 0
    private var recordings: [Voice.Part: (samples: [Int16], lastUse: Int)] = [:]
    private var uses = 0
    /// Of the samples that are kept.
    private(set) var bytes = 0

    init(mostBytes: Int = mostBytes) { self.mostBytes = mostBytes }

    mutating func samples(of part: Voice.Part, at sampleRate: Int) -> [Int16]? {
        guard sampleRate == self.sampleRate, let index = recordings.index(forKey: part) else { return nil }
        uses += 1
        recordings.values[index].lastUse = uses
        return recordings.values[index].samples
    }

    /// A device has one rate while it is open, so another rate empties the shelf.
    mutating func keep(_ samples: [Int16], of part: Voice.Part, at sampleRate: Int) {
        if sampleRate != self.sampleRate { forget { _ in true } }
        self.sampleRate = sampleRate
        remove(part)
        let size = Self.size(samples)
        guard size <= mostBytes else { return }
        while bytes + size > mostBytes, let oldest = recordings.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            remove(oldest.key)
        }
        uses += 1
        recordings[part] = (samples, uses)
        bytes += size
    }

    mutating func forget(where isForgotten: (Voice.Part) -> Bool) {
        for part in Array(recordings.keys) where isForgotten(part) { remove(part) }
    }

    private mutating func remove(_ part: Voice.Part) {
        if let removed = recordings.removeValue(forKey: part) { bytes -= Self.size(removed.samples) }
    }

    private static func size(_ samples: [Int16]) -> Int { samples.count * MemoryLayout<Int16>.stride }
}
