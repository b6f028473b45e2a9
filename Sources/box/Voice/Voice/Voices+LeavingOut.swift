import SoundboxCore
import SoundboxSpeech

/// Leaving recordings out, and using them again.
extension Voices {
    /// How many recordings cannot be used until somebody replaces them.
    public var brokenCount: Int { broken.count }

    /// Why each recording cannot be used that cannot until somebody replaces it.
    public var broken: [RecordingError] { leftOut.map(\.error).filter { !$0.isPassing } }

    /// How many recordings cannot be read now, and why one of them cannot; `nil` when all can.
    public var unavailable: (count: Int, example: RecordingError)? {
        let passing = leftOut.filter(\.error.isPassing)
        return passing.first.map { (passing.count, $0.error) }
    }

    /// Whether a recording that is left out may be readable again. Blocks on the disk briefly.
    public var mayHaveMore: Bool { leftOut.contains(where: \.mayBeTriedAgain) }

    private var leftOut: [LeftOut] { voices.flatMap(\.leftOut.values) }

    /// Recordings that were not decoded yet. A damaged one should be known before it is needed.
    public var unproven: [Voice.Part] {
        var offset = 0
        var parts: [Voice.Part] = []
        for voice in voices {
            let count = voice.recordings.playable.count
            if voice.awaitsProof { parts += (offset..<offset + count).map { .phrase($0) } }
            offset += count
        }
        return parts
    }

    /// Why a recording cannot be played now; `nil` when it can, or is left out already. Blocks on the disk for a
    /// millisecond or so, and longer if the disk fails.
    /// - Parameter scratch: memory to be reused for the next recording.
    func problem(with part: Voice.Part, in scratch: inout [Float]) -> RecordingError? {
        let (index, part) = owner(of: part)
        return voices[index].leftOut[part] == nil ? voices[index].problem(with: part, in: &scratch) : nil
    }

    /// Leaves a recording out for now. The numbers of the others stay.
    public mutating func leaveOut(_ part: Voice.Part, because error: RecordingError) {
        let (index, part) = owner(of: part)
        voices[index].leaveOut(part, because: error)
    }

    /// The best words for the utterance. Each of their recordings has just been decoded, so that an announcement that
    /// begins can also end. Recordings that were left out are tried again, as far as the words need them.
    ///
    /// The script is empty when there are no words; there may still be a chime. Blocks on the disk for a millisecond or
    /// two per recording, and longer if the disk fails.
    public mutating func provenScript(for utterance: Utterance) -> AnnouncementScript {
        var scratch: [Float] = []
        // Tried with everything that may be readable again; what the words do not need is not tried.
        var candidate = self
        for index in voices.indices {
            candidate.voices[index].takeBack(voices[index].leftOut.filter(\.value.mayBeTriedAgain).map(\.key))
        }
        while true {
            let script = candidate.script(for: utterance)
            var isProven = true
            for part in [.chime] + script.phrases {
                let (index, ownPart) = owner(of: part)
                guard candidate.voices[index].leftOut[ownPart] == nil else { continue }
                if let problem = voices[index].problem(with: ownPart, in: &scratch) {
                    voices[index].leaveOut(ownPart, because: problem)
                    candidate.voices[index].leaveOut(ownPart, because: problem)
                    // The chime does not change the words.
                    if part != .chime { isProven = false }
                } else {
                    voices[index].takeBack([ownPart])
                }
            }
            // Ends, since each round but the last one leaves a recording out.
            if isProven { return script }
        }
    }

    /// Tries the recordings that were left out, and stops at the first that cannot be read: the others would fail as
    /// well, and a failing disk is slow with each. Blocks on the disk.
    public mutating func takeBackWhatCanBePlayed() {
        var scratch: [Float] = []
        for index in voices.indices {
            var found: [Voice.Part] = []
            for (part, leftOut) in voices[index].leftOut where leftOut.mayBeTriedAgain {
                guard let problem = voices[index].problem(with: part, in: &scratch) else {
                    found.append(part)
                    continue
                }
                if problem.isPassing { break }
            }
            voices[index].takeBack(found)
        }
    }
}

extension AnnouncementScript {
    /// The recordings in it.
    var phrases: [Voice.Part] {
        elements.compactMap { if case .phrase(let number) = $0 { .phrase(number) } else { nil } }
    }
}
