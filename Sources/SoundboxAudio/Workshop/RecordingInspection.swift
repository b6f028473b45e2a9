/// What is wrong with one decoded file.
struct RecordingInspection {
    let file: String
    let audio: AudioFile
    private(set) var problems: [RecordingProblem] = []

    init(file: String, audio: AudioFile) {
        self.file = file
        self.audio = audio
    }

    /// - Parameters:
    ///   - sampleRate: that of the voice, in frames per second.
    ///   - loudness: the window in which the recording must lie, in LUFS.
    mutating func inspect(sampleRate: Int, loudness: ClosedRange<Double>) throws(RecordingError) {
        inspectFormat(sampleRate: sampleRate)
        let durations = RecordingCheck.durations
        guard durations.contains(audio.recording.duration) else {
            return report("lasts \(audio.recording.duration)", "\(durations.lowerBound) to \(durations.upperBound)")
        }
        guard let sound = SilenceTrimmer().sound(in: audio.recording) else {
            return report("is silent", "something to hear")
        }
        inspectMargins(around: sound)
        inspectWave()
        let measured = try Loudness(measuring: audio.recording)
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

    private mutating func inspectFormat(sampleRate: Int) {
        if !audio.isFLAC { report("is not FLAC", "FLAC") }
        if audio.channelCount != 1 { report("has \(audio.channelCount) channels", "1") }
        if audio.recording.sampleRate != sampleRate {
            report("has \(audio.recording.sampleRate) frames per second", "\(sampleRate)")
        }
    }

    private mutating func inspectMargins(around sound: Range<Int>) {
        let recording = audio.recording
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
        let offset = Double.decibels(ofAmplitude: abs(audio.recording.offset))
        if offset > RecordingCheck.highestOffset {
            report("lies off zero by \(offset.shown) dBFS", "\(RecordingCheck.highestOffset) or less")
        }
        var run = 0
        for sample in audio.recording.pcm16 {
            run = sample == .max || sample == .min ? run + 1 : 0
            if run == RecordingCheck.clippedRun { return report("is clipped", "no samples at full scale in a row") }
        }
    }

    private func milliseconds(_ frames: Int) -> Int { frames * 1000 / audio.recording.sampleRate }
}

extension Double {
    /// With one decimal, as levels are read.
    fileprivate var shown: String { "\((self * 10).rounded() / 10)" }
}
