import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import SoundboxVoice

/// Measures how smoothly a voice speaks amounts: against a fluent reading, and at its joins.
///
/// For the command line: it decodes recordings and runs a synthesiser.
public struct VoiceReport: Sendable {
    /// What was measured of one announcement, "received" and the amount.
    public struct Line: Sendable, Equatable {
        public let money: Money
        public let text: String
        /// Recordings played.
        public let segmentCount: Int
        /// From the first sound to the last, without the rests that punctuation asks for.
        public let speech: Duration
        /// Those rests.
        public let rests: Duration
        /// The same words spoken in one go by the voice's synthesiser; `nil` without one.
        public let fluent: Duration?
        /// The longest stretch within ``speech`` below −50 dBFS. Stopped consonants count: some 50 ms are natural.
        public let longestGap: Duration
        /// dBFS. The largest step from one sample to the next where two recordings meet: above about −34 it is a click,
        /// unless the sound goes on across the join. `nil` for a single recording.
        public let largestJump: Double?

        /// How many times as long as the fluent reading; 1.0 is perfect.
        public var ratio: Double? { fluent.map { speech / $0 } }
    }

    private let voice: Voice
    private let renderer: SpeechRenderer

    /// - Throws: ``RecordingError`` for the chime.
    public init(_ voice: Voice) throws(RecordingError) {
        self.voice = voice
        renderer = SpeechRenderer(voice: voice)
    }

    /// The currency that the amounts are spoken in: the voice's own; `nil` when it has a word for none.
    public var currency: Currency? { voice.language.units.isEmpty ? nil : voice.language.currency }

    /// Why there is no fluent reading to compare with; `nil` when there is one.
    public func lackOfFluentReading() async -> String? {
        guard let settings = voice.recordings.synthesis else { return "the voice has no synthesiser" }
        do {
            try await Synthesizer(settings).checkVoice(namedIn: "voice.yaml")
            return nil
        } catch {
            return error.reason
        }
    }

    /// Speaks one amount and measures it.
    ///
    /// - Parameter isCompared: whether a fluent reading is made, for which ``lackOfFluentReading()`` must be `nil`.
    /// - Throws: ``SpeechError`` when the voice cannot say the amount, ``PlayerError`` or ``RecordingError`` when it
    ///   cannot be rendered.
    public func line(for money: Money, isCompared: Bool) async throws -> Line {
        let script = try voice.writer.exactScript(for: .payment(money, channel: nil))
        var speech = Duration.zero
        var longestGap = Duration.zero
        // Between rests, so that no rest is taken for a gap.
        for part in script.elements.split(whereSeparator: \.isPause) {
            let sound = try await renderer.recording(of: AnnouncementScript(text: script.text, elements: Array(part)))
            guard let measured = Self.sound(in: sound) else { continue }
            speech += measured.duration
            longestGap = max(longestGap, measured.longestGap)
        }
        return Line(
            money: money, text: script.text, segmentCount: script.elements.count { !$0.isPause }, speech: speech,
            rests: script.elements.reduce(.zero) { $0 + $1.rest },
            fluent: isCompared ? try await fluentReading(of: script) : nil, longestGap: longestGap,
            largestJump: try await largestJump(in: script))
    }

    /// What every entry of the script tells the synthesiser, in one go and at the loudness of the recordings. Joining
    /// these, and not speaking the text, works for every voice: a Chinese one is given pinyin.
    private func fluentReading(of script: AnnouncementScript) async throws(RecordingError) -> Duration? {
        guard let settings = voice.recordings.synthesis else { return nil }
        var says: [String] = []
        for element in script.elements {
            guard case .phrase(let index) = element else { continue }
            guard let say = voice.recordings.entries[index].say else { return nil }
            says.append(say)
        }
        var spoken = try await Synthesizer(settings).speak(says.joined(separator: " "), for: script.text)
        let gain = try voice.recordings.loudness - MeasuredLoudness(of: spoken).integrated
        let factor = Float(Double.amplitude(ofDecibels: gain))
        spoken.samples = spoken.samples.map { $0 * factor }
        return Self.sound(in: spoken)?.duration
    }

    /// Each pair of neighbours is rendered by itself: where the player lets two recordings overlap, the pair comes out
    /// shorter than both together by that much, and the join lies there.
    private func largestJump(in script: AnnouncementScript) async throws -> Double? {
        var largest: Float?
        for (first, second) in zip(script.elements, script.elements.dropFirst()) {
            guard case .phrase(let old) = first, case .phrase(let new) = second else { continue }
            let pair = try await renderer.recording(
                of: AnnouncementScript(text: script.text, elements: [first, second]))
            let lengths = try [old, new].map { index in
                let file = voice.recordings.entries[index].file
                return try AudioFile(reading: "\(voice.directory)/\(file).flac").recording.samples.count
            }
            let slack = pair.frames(in: .milliseconds(1))
            let overlap = max(0, lengths[0] + lengths[1] - pair.samples.count)
            let join = max(0, lengths[0] - overlap - slack)..<min(pair.samples.count - 1, lengths[0] + slack)
            let jump = join.map { abs(pair.samples[$0 + 1] - pair.samples[$0]) }.max() ?? 0
            largest = max(largest ?? 0, jump)
        }
        return largest.map { max(-120, .decibels(ofAmplitude: Double($0))) }
    }

    private static func sound(in recording: Recording) -> (duration: Duration, longestGap: Duration)? {
        guard let sound = SilenceTrimmer().sound(in: recording) else { return nil }
        let floor = Float(Double.amplitude(ofDecibels: SilenceTrimmer().threshold))
        var longest = 0
        var run = 0
        for sample in recording.samples[sound] {
            run = abs(sample) < floor ? run + 1 : 0
            longest = max(longest, run)
        }
        func duration(_ frames: Int) -> Duration { .seconds(Double(frames) / Double(recording.sampleRate)) }
        return (duration(sound.count), duration(longest))
    }
}

extension AnnouncementScript.Element {
    fileprivate var isPause: Bool { if case .pause = self { true } else { false } }
    fileprivate var rest: Duration { if case .pause(let rest) = self { rest } else { .zero } }
}
