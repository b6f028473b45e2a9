import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import SoundboxVoice

/// Measures how smoothly a voice speaks amounts, by comparison with a fluent reading and at its joins:
///
///     let report = try VoiceReport(voice)
///     let line = try await report.line(for: try Money("123.45", currency), isCompared: false)
///
/// For the command line: decodes recordings and runs a synthesiser.
public struct VoiceReport: Sendable {
    /// The measurements of one payment announcement.
    public struct Line: Sendable, Equatable {
        public let money: Money
        public let text: String
        /// The number of recordings.
        public let segmentCount: Int
        /// From the first sound to the last, without the rests of punctuation.
        public let speech: Duration
        /// The rests of punctuation.
        public let rests: Duration
        /// The duration of the same words, spoken at once by the voice's synthesiser; `nil` without one.
        public let fluent: Duration?
        /// The longest part of ``speech`` below −50 dBFS. Stop consonants count: about 50 ms are natural.
        public let longestGap: Duration
        /// dBFS. The largest step between two samples where two recordings meet. Above about −34 it is a click, unless
        /// the sound continues across the join. `nil` for a single recording.
        public let largestJump: Double?

        /// The duration divided by that of the fluent reading; 1.0 is ideal.
        public var ratio: Double? { fluent.map { speech / $0 } }
    }

    private let voice: Voice
    private let renderer: SpeechRenderer

    /// - Throws: ``RecordingError`` for the chime.
    public init(_ voice: Voice) throws(RecordingError) {
        self.voice = voice
        renderer = SpeechRenderer(voice: voice)
    }

    /// The voice's own currency; `nil` if it has no word for any.
    public var currency: Currency? { voice.language.units.isEmpty ? nil : voice.language.currency }

    /// Why there is no fluent reading; `nil` if there is one.
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
        // Measure between rests, so that a rest does not count as a gap.
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

    /// The synthesiser's texts of all entries of the script, spoken at once, at the loudness of the recordings. These
    /// texts work for every voice: a Chinese one needs pinyin.
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

    /// Renders each pair of neighbours separately. If the player overlaps them, the pair is shorter than both together
    /// by the overlap, and the join is there.
    private func largestJump(in script: AnnouncementScript) async throws -> Double? {
        var largest: Float?
        for (first, second) in zip(script.elements, script.elements.dropFirst()) {
            guard case .phrase(let old) = first, case .phrase(let new) = second else { continue }
            let pair = try await renderer.recording(
                of: AnnouncementScript(text: script.text, elements: [first, second]))
            let lengths = try [old, new].map { index in
                try AudioFile(reading: "\(voice.directory)/\(voice.fileName(ofRecording: index))").recording.samples
                    .count
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
