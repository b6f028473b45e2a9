import SoundboxVoice

/// Finds the phrases of one take:
///
///     let phrases = try TakeSplitter(pause: .milliseconds(700)).phrases(in: take.removingOffset())
///
/// Works on levels of 10 ms. The threshold depends on the take's own noise, so that it works in a quiet room and beside
/// a refrigerator. Clicks are dropped before pauses are measured, because a click in the middle of a pause would cut it
/// into two halves that are too short.
struct TakeSplitter {
    /// Silence that separates two phrases; shorter silence belongs to the phrase.
    var pause: Duration

    /// Longer than the rests within a sentence, shorter than the pause of a reader who was asked for one second.
    static let usualPause = Duration.milliseconds(700)
    /// The range of `pause`.
    static let pauses: ClosedRange<Duration> = .milliseconds(200) ... .seconds(5)
    /// A shorter sound between silences is a click of the mouse or the tongue. The shortest spoken word lasts twice as
    /// long.
    private static let longestClick = Duration.milliseconds(60)
    /// Silence that separates a click. The closure before the last consonant of "eight" is shorter.
    private static let clickDistance = Duration.milliseconds(150)
    /// How far the soft beginning and end of a phrase (f, s, h) are followed below the threshold.
    private static let softEdge = Duration.milliseconds(200)
    /// The least distance between noise and speech in dB.
    private static let leastDistanceFromNoise = 15.0

    init(pause: Duration = TakeSplitter.usualPause) { self.pause = pause }

    /// The frames of each phrase, in order.
    /// - Throws: ``RecordingError/unusable(file:reason:)`` for a take without sound or with too much noise.
    func phrases(in take: Recording) throws(RecordingError) -> [Range<Int>] {
        try profile(of: take).phrases(pausingFor: pause)
    }

    /// The pause nearest to ``pause`` that gives `count` phrases; `nil` for none.
    func pause(thatGives count: Int, in take: Recording) throws(RecordingError) -> Duration? {
        let profile = try profile(of: take)
        let candidates = stride(from: 200, through: 3000, by: 50).map { Duration.milliseconds($0) }
        func distance(_ other: Duration) -> Duration { max(pause, other) - min(pause, other) }
        return candidates.sorted { distance($0) < distance($1) }
            .first { profile.phrases(pausingFor: $0).count == count }
    }

    /// The frames from the first to the last sound of a recording of one phrase; `nil` without sound.
    func sound(in recording: Recording) -> Range<Int>? {
        var profile = LevelProfile(of: recording)
        guard let noise = profile.steadyNoise, profile.speech - noise >= Self.leastDistanceFromNoise else {
            // Too little silence to measure the noise, for example in a trimmed file.
            return SilenceTrimmer().sound(in: recording)
        }
        profile.noise = noise
        let phrases = profile.phrases(pausingFor: pause)
        guard let first = phrases.first, let last = phrases.last else { return nil }
        return first.lowerBound..<last.upperBound
    }

    private func profile(of take: Recording) throws(RecordingError) -> LevelProfile {
        let profile = LevelProfile(of: take)
        guard profile.speech >= SilenceTrimmer().threshold else {
            throw .unusable(file: take.name, reason: "nothing in it is louder than \(SilenceTrimmer().threshold) dBFS")
        }
        let distance = profile.speech - profile.noise
        guard distance >= Self.leastDistanceFromNoise else {
            throw .unusable(
                file: take.name,
                reason: "its noise lies only \(distance.shown) dB below the speech; expected silence between the "
                    + "phrases, a quieter room or a nearer microphone")
        }
        return profile
    }

    /// The levels of a recording in blocks of 10 ms, with the levels of its noise and its speech.
    private struct LevelProfile {
        private static let digitalSilence = -80.0

        let frameCount: Int
        let blockLength: Int
        let blocksPerSecond: Double
        /// RMS of each block in dBFS.
        let levels: [Double]
        /// dBFS. The softest tenth of the blocks lies below, because readers pause for longer than that. Digital
        /// silence counts as −80, so that breath beside a muted microphone does not count as speech.
        var noise: Double
        /// dBFS. The maximum of the softest 150 ms if they are as even as noise; otherwise `nil`.
        let steadyNoise: Double?
        /// dBFS. Only the loudest hundredth of the blocks, with the clicks, lies above.
        let speech: Double

        init(of recording: Recording) {
            let length = max(1, recording.frames(in: .milliseconds(10)))
            let samples = recording.samples
            let levels = stride(from: 0, to: samples.count, by: length).map { start in
                let block = samples[start..<min(start + length, samples.count)]
                let power = block.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(block.count)
                return max(-120, .decibels(ofAmplitude: power.squareRoot()))
            }
            let sorted = levels.sorted()
            func percentile(_ share: Double) -> Double {
                sorted.isEmpty ? -120 : sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
            }
            frameCount = samples.count
            blockLength = length
            blocksPerSecond = Double(recording.sampleRate) / Double(length)
            self.levels = levels
            noise = max(Self.digitalSilence, percentile(0.1))
            steadyNoise =
                if sorted.count > 15, sorted[14] - max(Self.digitalSilence, sorted[0]) < 6 {
                    max(Self.digitalSilence, sorted[14])
                } else { nil }
            speech = percentile(0.99)
        }

        /// 12 dB above the noise, more than its variation; half-way to the speech if the noise is near; and at most 40
        /// dB below the speech, where only breath is.
        private var threshold: Double { max(noise + min(12, (speech - noise) / 2), speech - 40) }

        /// Half-way between threshold and noise, at most 6 dB below the threshold: for soft beginnings and ends.
        private var softThreshold: Double { max(threshold - 6, (threshold + noise) / 2) }

        func phrases(pausingFor pause: Duration) -> [Range<Int>] {
            let bursts = Self.runs(in: levels) { $0 >= threshold }
            let sounds = Self.joined(bursts, across: blocks(in: TakeSplitter.clickDistance)).filter { cluster in
                let active = levels[cluster].count { $0 >= threshold }
                return active >= blocks(in: TakeSplitter.longestClick)
            }
            return Self.joined(sounds, across: blocks(in: pause)).map { phrase in
                let range = withSoftEdges(phrase)
                return range.lowerBound * blockLength..<min(range.upperBound * blockLength, frameCount)
            }
        }

        private func withSoftEdges(_ phrase: Range<Int>) -> Range<Int> {
            let floor = softThreshold
            let reach = blocks(in: TakeSplitter.softEdge)
            var (start, end) = (phrase.lowerBound, phrase.upperBound)
            while start > 0, phrase.lowerBound - start < reach, levels[start - 1] >= floor { start -= 1 }
            while end < levels.count, end - phrase.upperBound < reach, levels[end] >= floor { end += 1 }
            return start..<end
        }

        private func blocks(in duration: Duration) -> Int {
            Int((duration / .seconds(1) * blocksPerSecond).rounded())
        }

        private static func runs(in levels: [Double], where isSound: (Double) -> Bool) -> [Range<Int>] {
            var runs: [Range<Int>] = []
            for (block, level) in levels.enumerated() where isSound(level) {
                if let last = runs.last, last.upperBound == block {
                    runs[runs.count - 1] = last.lowerBound..<block + 1
                } else {
                    runs.append(block..<block + 1)
                }
            }
            return runs
        }

        /// Joins neighbours with less than `gap` between them.
        private static func joined(_ ranges: [Range<Int>], across gap: Int) -> [Range<Int>] {
            var joined: [Range<Int>] = []
            for range in ranges {
                if let last = joined.last, range.lowerBound - last.upperBound < gap {
                    joined[joined.count - 1] = last.lowerBound..<range.upperBound
                } else {
                    joined.append(range)
                }
            }
            return joined
        }
    }
}
