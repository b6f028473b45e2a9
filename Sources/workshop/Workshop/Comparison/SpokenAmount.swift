import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice

/// One amount as one voice speaks it, with the positions of its recordings.
struct SpokenAmount: Sendable {
    /// A recording or a rest.
    struct Part: Sendable {
        /// The recording's file and its words; `nil` for a rest.
        let source: (file: String, words: String)?
        /// Its frames; the frames of an overlap belong to both parts.
        let frames: Range<Int>
    }

    /// Where two recordings meet without a rest.
    struct Join: Sendable {
        /// The index of the first recording in ``SpokenAmount/parts``; the second one follows it.
        let part: Int
        /// The frames of both; empty if they only touch.
        let overlap: Range<Int>
        /// dBFS. The largest step between two samples at the join.
        let jump: Double
        /// The silent frames around the join, below −50 dBFS; empty if both sound.
        let quiet: Range<Int>
    }

    /// The announcement in words.
    let text: String
    let recording: Recording
    let parts: [Part]
    let joins: [Join]
    let loudness: MeasuredLoudness
    /// A FLAC file of 16 bits.
    let flac: [UInt8]

    /// Speaks the payment through the box's own player and mixer. Blocks on the disk.
    ///
    /// - Throws: ``SpeechError`` when the voice cannot say it, ``PlayerError`` or ``RecordingError`` when it cannot be
    ///   rendered.
    init(_ money: Money, channel: String?, by voice: Voice, _ renderer: SpeechRenderer) async throws {
        let script = try voice.writer.exactScript(for: .payment(money, channel: channel))
        let speech = try await renderer.speech(of: script)
        let parts = zip(script.elements, speech.places).map { element, frames in
            Part(source: voice.source(of: element), frames: frames)
        }
        text = script.text
        recording = speech.recording
        self.parts = parts
        joins = parts.indices.dropLast().compactMap { Join(after: $0, in: parts, of: speech.recording) }
        loudness = try MeasuredLoudness(of: speech.recording)
        flac = try Self.flac(of: speech.recording)
    }

    var recordingCount: Int { parts.count { $0.source != nil } }

    /// Lossless, although larger than Opus: a lossy coder adds echoes at the joins, which are judged here.
    private static func flac(of recording: Recording) throws -> [UInt8] {
        let scratch = try TemporaryFolder()
        let path = "\(scratch.path)/speech.flac"
        try AudioFile.writeFLAC(recording, to: path, isSynthesized: true)
        return try SmallFile.bytes(of: path, limit: 1 << 28)
    }
}

extension SpokenAmount.Join {
    /// `nil` if one of the two is a rest.
    fileprivate init?(after index: Int, in parts: [SpokenAmount.Part], of recording: Recording) {
        let (old, new) = (parts[index], parts[index + 1])
        guard old.source != nil, new.source != nil else { return nil }
        part = index
        overlap = min(new.frames.lowerBound, old.frames.upperBound)..<old.frames.upperBound
        // One more millisecond, for the steps into and out of the overlap.
        let slack = recording.frames(in: .milliseconds(1))
        let around = max(1, overlap.lowerBound - slack)..<min(recording.samples.count, overlap.upperBound + slack)
        let steps = around.map { abs(recording.samples[$0] - recording.samples[$0 - 1]) }
        jump = max(-120, .decibels(ofAmplitude: Double(steps.max() ?? 0)))
        let floor = Float(Double.amplitude(ofDecibels: SilenceTrimmer().threshold))
        let sounds = { (frame: Int) in abs(recording.samples[frame]) >= floor }
        let middle = (overlap.lowerBound + overlap.upperBound) / 2
        let before = (old.frames.lowerBound..<middle).last(where: sounds).map { $0 + 1 } ?? old.frames.lowerBound
        quiet = before..<((middle..<new.frames.upperBound).first(where: sounds) ?? new.frames.upperBound)
    }
}

extension Voice {
    fileprivate func source(of element: AnnouncementScript.Element) -> (file: String, words: String)? {
        guard case .phrase(let index) = element else { return nil }
        let words = recordings.entries.indices.contains(index) ? recordings.entries[index].text : ""
        return (fileName(ofRecording: index), words)
    }
}
