import SoundboxVoice

/// The problems of one recording, before it is written or after it was read.
struct RecordingInspection {
    let file: String
    let recording: Recording
    private(set) var problems: [RecordingProblem] = []

    /// - Parameter file: the name for problems, with its extension.
    init(file: String, recording: Recording) {
        self.file = file
        self.recording = recording
    }

    /// - Parameter sampleRate: the voice's rate, in frames per second.
    mutating func inspectFormat(of audio: AudioFile, sampleRate: Int) {
        if audio.format.map({ file.hasSuffix(".\($0)") }) != true {
            report("is of another format than its name says", "Opus in Ogg, FLAC or WAV, each under its own name")
        }
        if audio.channelCount != 1 { report("has \(audio.channelCount) channels", "1") }
        if recording.sampleRate != sampleRate {
            report("has \(recording.sampleRate) frames per second", "\(sampleRate)")
        }
    }

    /// Whether a synthesised file holds the words of its entry: two that were exchanged have nothing else wrong with
    /// them, and the box would say another amount.
    /// - Parameter expected: what its entry would be made from; `nil` if it is not to be synthesised.
    mutating func inspectOrigin(of audio: AudioFile, expected: String?) {
        guard let expected, let origin = audio.origin, origin != expected else { return }
        report("was made from \"\(origin)\"", "\"\(expected)\"; make sounds makes it anew")
    }

    /// Whether the sound of a recording has no problem.
    static func isSound(_ recording: Recording, loudness: ClosedRange<Double>) -> Bool {
        var inspection = RecordingInspection(file: recording.name, recording: recording)
        return (try? inspection.inspectSound(loudness: loudness)) != nil && inspection.problems.isEmpty
    }

    /// - Parameter loudness: the allowed range in LUFS.
    mutating func inspectSound(loudness: ClosedRange<Double>) throws(RecordingError) {
        let durations = RecordingCheck.durations
        guard durations.contains(recording.duration) else {
            return report("lasts \(recording.duration)", "\(durations.lowerBound) to \(durations.upperBound)")
        }
        guard let sound = SilenceTrimmer().sound(in: recording) else {
            return report("is silent", "something to hear")
        }
        inspectMargins(around: sound)
        inspectWave()
        let measured = try MeasuredLoudness(of: recording)
        if measured.truePeak > RecordingCheck.highestPeak {
            report("peaks at \(measured.truePeak.shown) dBTP", "\(RecordingCheck.highestPeak) or less")
        }
        if !loudness.contains(measured.integrated) {
            report(
                "is \(measured.integrated.shown) LUFS loud",
                "\(loudness.lowerBound.shown) to \(loudness.upperBound.shown)")
        }
    }

    private mutating func report(_ problem: String, _ expected: String) {
        problems.append(RecordingProblem(file: file, problem: problem, expected: expected))
    }

    private mutating func inspectMargins(around sound: Range<Int>) {
        let tail = recording.samples.count - sound.upperBound
        if sound.lowerBound > recording.frames(in: RecordingCheck.longestLead) {
            report(
                "starts with \(milliseconds(sound.lowerBound)) ms of silence", "\(RecordingCheck.longestLead) or less")
        }
        if tail > recording.frames(in: RecordingCheck.longestTail) {
            report("ends with \(milliseconds(tail)) ms of silence", "\(RecordingCheck.longestTail) or less")
        }
        let edge = Float(Double.amplitude(ofDecibels: RecordingCheck.highestEdge))
        if let first = recording.samples.first, abs(first) > edge { report("starts with a click", "a fade-in") }
        if let last = recording.samples.last, abs(last) > edge { report("ends with a click", "a fade-out") }
    }

    private mutating func inspectWave() {
        let offset = Double.decibels(ofAmplitude: abs(recording.offset))
        if offset > RecordingCheck.highestOffset {
            report("lies off zero by \(offset.shown) dBFS", "\(RecordingCheck.highestOffset) or less")
        }
        if recording.isClipped { report("is clipped", "no samples at full scale in a row") }
    }

    private func milliseconds(_ frames: Int) -> Int { frames * 1000 / recording.sampleRate }
}

extension Recording {
    /// Whether consecutive samples are at full scale, which only clipping causes.
    var isClipped: Bool {
        var run = 0
        for sample in samples {
            run = abs(sample) >= 32767.0 / 32768 ? run + 1 : 0
            if run == RecordingCheck.clippedRun { return true }
        }
        return false
    }
}

extension Double {
    /// With one decimal.
    var shown: String { "\((self * 10).rounded() / 10)" }
}

/// A problem of one recording of a voice.
public struct RecordingProblem: Sendable, Equatable, CustomStringConvertible {
    /// The file name in the voice's folder, with its extension.
    public let file: String
    /// What was found.
    public let problem: String
    /// What was expected instead.
    public let expected: String

    public init(file: String, problem: String, expected: String) {
        self.file = file
        self.problem = problem
        self.expected = expected
    }

    public var description: String { "\(file): \(problem), expected \(expected)" }
}
