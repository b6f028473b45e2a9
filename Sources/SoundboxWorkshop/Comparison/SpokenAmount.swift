import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice

/// One amount as one voice speaks it, and where its recordings lie.
struct SpokenAmount: Sendable {
    /// A recording or a rest.
    struct Part: Sendable {
        /// The name of the recording without `.flac`, and its words; `nil` for a rest.
        let source: (file: String, words: String)?
        /// In which it sounds; those of an overlap belong to both.
        let frames: Range<Int>
    }

    /// Where two recordings meet without a rest.
    struct Join: Sendable {
        /// The number of the first of the two in ``SpokenAmount/parts``; the other one follows it.
        let part: Int
        /// In which both sound; empty where they touch.
        let overlap: Range<Int>
        /// dBFS. The largest step from one sample to the next there.
        let jump: Double
        /// In which nothing is heard, above −50 dBFS, from the join to either side; empty where both sound.
        let quiet: Range<Int>
    }

    /// The announcement in words.
    let text: String
    let recording: Recording
    let parts: [Part]
    let joins: [Join]
    let loudness: MeasuredLoudness
    /// A whole file of 16 bits.
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

    /// Lossless, though larger than Opus: a coder adds echoes of its own at the joins, which are what is judged.
    private static func flac(of recording: Recording) throws -> [UInt8] {
        let scratch = try TemporaryFolder()
        let path = "\(scratch.path)/speech.flac"
        try AudioFile.writeFLAC(recording, to: path, isSynthesized: true)
        return try SmallFile.bytes(of: path, limit: 1 << 28)
    }
}

extension SpokenAmount.Join {
    /// `nil` where one of the two is a rest.
    fileprivate init?(after index: Int, in parts: [SpokenAmount.Part], of recording: Recording) {
        let (old, new) = (parts[index], parts[index + 1])
        guard old.source != nil, new.source != nil else { return nil }
        part = index
        overlap = min(new.frames.lowerBound, old.frames.upperBound)..<old.frames.upperBound
        // A millisecond more, for the step into the overlap and out of it.
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
        return (recordings.playable[index], words)
    }
}
