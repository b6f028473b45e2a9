import SoundboxCore
import SoundboxSpeech
import SoundboxSystem

/// A recording that is left out, and why.
struct LeftOut: Sendable {
    let error: RecordingError
    private let path: String
    private let stamp: FileStamp?

    init(_ path: String, because error: RecordingError) {
        self.error = error
        self.path = path
        stamp = FileStamp(path)
    }

    /// Whether another attempt may succeed: the failure was temporary, or the file has been replaced since. Blocks on
    /// the disk for a system call.
    var mayBeTriedAgain: Bool { error.isPassing || FileStamp(path) != stamp }
}

extension Voice {
    /// The voice with its playable recordings, and what is wrong with the others.
    ///
    /// With a recording missing, a box still says every amount that the other recordings cover, and a fallback for the
    /// rest; a box that refused to start would say nothing. Decodes every recording once: blocks for seconds on a small
    /// board, as zh-CN has 2,300 s of sound. Keeps the recordings in memory that say that money has come without saying
    /// how much: see ``holdReserve()``.
    /// - Throws: ``VoiceError/recording(_:)`` when no recording can be played.
    public func leavingOutUnusableRecordings() throws(VoiceError) -> (voice: Voice, problems: [RecordingError]) {
        var problems: [RecordingError] = []
        var scratch: [Float] = []
        var usable = self
        for part in parts {
            guard let problem = problem(with: part, in: &scratch), let path = path(of: part) else { continue }
            problems.append(problem)
            usable.leftOut[part] = LeftOut(path, because: problem)
        }
        let phraseCount = usable.leftOut.keys.count { $0 != .chime }
        if phraseCount == recordings.playable.count, let problem = problems.first { throw .recording(problem) }
        if !problems.isEmpty { usable.renewWriter() }
        usable.holdReserve()
        return (usable, problems)
    }

    /// The voice, ready to say that money has come: the recordings for that are decoded and kept in memory, see
    /// ``holdReserve()``. The others are checked later, see ``Voices/unproven``, so that a box is online before it has
    /// decoded hundreds of them. Blocks on the disk for some milliseconds.
    ///
    /// If one of these recordings is missing, the result is that of ``leavingOutUnusableRecordings()``.
    public func readyToSpeak() throws(VoiceError) -> (voice: Voice, problems: [RecordingError]) {
        var ready = self
        ready.holdReserve()
        let parts = ready.reserveParts
        guard parts != [.chime], parts.allSatisfy({ ready.reserve[$0] != nil || path(of: $0) == nil }) else {
            return try leavingOutUnusableRecordings()
        }
        ready.awaitsProof = true
        return (ready, [])
    }

    /// Leaves a recording out for now. The indices of the others stay.
    public mutating func leaveOut(_ part: Part, because error: RecordingError) {
        guard let path = path(of: part) else { return }
        leftOut[part] = LeftOut(path, because: error)
        renewWriter()
    }

    /// Uses recordings again that can be played.
    mutating func takeBack(_ parts: [Part]) {
        let count = leftOut.count
        for part in parts { leftOut[part] = nil }
        guard leftOut.count != count else { return }
        renewWriter()
        holdReserve()
    }

    /// Why a recording cannot be played now; `nil` when it can. Blocks on the disk.
    /// - Parameter scratch: memory to be reused for the next recording.
    func problem(with part: Part, in scratch: inout [Float]) -> RecordingError? {
        guard reserve[part] == nil, let path = path(of: part) else { return nil }
        do throws(RecordingError) {
            try AudioFile.prove(path, in: &scratch)
            return nil
        } catch {
            return error
        }
    }

    /// Keeps the chime and the sentences without amount decoded, at about 100 kB per second of sound. They are the
    /// fallback when the disk fails, so they must not come from it. Blocks on the disk for those not held yet.
    mutating func holdReserve() {
        for part in reserveParts where reserve[part] == nil && leftOut[part] == nil {
            guard let path = path(of: part), let recording = try? AudioFile.spoken(path) else { continue }
            reserve[part] = recording
        }
    }

    private var reserveParts: Set<Part> {
        let sentences = [Language.Sentence.unreadableWithoutChannel, .unreadableRefund, .replay].compactMap {
            language.sentences[$0]
        }
        var parts: Set<Part> = [.chime]
        for sentence in sentences {
            for case .phrase(let index) in (try? writer.script(ofText: sentence))?.elements ?? [] {
                parts.insert(.phrase(index))
            }
        }
        return parts
    }
}
