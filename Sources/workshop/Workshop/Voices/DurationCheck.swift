import Glibc

/// Finds recordings that cannot be of their words, by their durations.
///
/// One that is far too long says something else: a synthesiser for another language spells the words in letters.
///
/// A take in which one phrase was left out and another read twice has the right number of phrases, but each phrase
/// between the two has the name of its neighbour. A single recording does not show that; together, their durations
/// match the words of the neighbours.
struct DurationCheck {
    /// A recording, in the order of the list.
    struct Spoken {
        var file: String
        var text: String
        var seconds: Double
    }

    /// How much more probable the neighbours' words must be, in nats. Each shipped voice stays under 10; a take with a
    /// shift of 40 phrases mostly exceeds 20.
    static let leastGain = 16.0
    /// How many times as long as its words a recording may last. A short word may last half a second longer.
    static let longest = 2.0
    /// With fewer recordings, the speed of the voice is unknown.
    private static let fewest = 12

    private let spoken: [Spoken]
    /// The expected duration of each recording's words, in seconds.
    private let expected: [Double]
    /// The usual deviation from that, as a logarithm.
    private let spread: Double

    /// - Parameter spoken: in the order of reading.
    init(_ spoken: [Spoken]) {
        self.spoken = spoken
        let letters = spoken.map { Double($0.text.letterCount) }
        let line = Self.line(through: zip(letters, spoken.map(\.seconds)).map { $0 })
        let expected = letters.map { max(0.1, line.start + line.slope * $0) }
        let differences = zip(spoken, expected).map { abs(log($0.seconds / $1)) }
        self.expected = expected
        // 1.4826 median deviations are a standard deviation. At least a tenth, for a very steady voice.
        spread = max(1.4826 * differences.median, 0.1)
    }

    var problems: [RecordingProblem] {
        guard spoken.count >= Self.fewest else { return [] }
        let shifted = shiftedRecordings
        return shifted.isEmpty ? longRecordings : shifted
    }

    private var longRecordings: [RecordingProblem] {
        let pairs = zip(spoken, expected).filter { $0.seconds > Self.longest * $1 && $0.seconds - $1 > 0.5 }
        return pairs.map { recording, usual in
            RecordingProblem(
                file: recording.file,
                problem: "lasts \(recording.seconds.shown) s, and \"\(recording.text)\" about \(usual.shown) s",
                expected: "nothing but these words, in the voice's language")
        }
    }

    /// The range that matches the words of its neighbours best, if it exceeds ``leastGain``.
    private var shiftedRecordings: [RecordingProblem] {
        let (later, earlier) = (bestStretch(shiftedBy: 1), bestStretch(shiftedBy: -1))
        let isLater = later.gain >= earlier.gain
        let best = isLater ? later : earlier
        guard best.gain >= Self.leastGain, let first = spoken[best.range].first, let last = spoken[best.range].last
        else {
            return []
        }
        return [
            RecordingProblem(
                file: first.file,
                problem: "this and the next \(best.range.count - 1), to \(last.file), last as long as the words "
                    + "\(isLater ? "behind" : "before") theirs",
                expected: "each phrase under its own name; was one left out of the take, and another read twice?")
        ]
    }

    /// The range of recordings whose durations match the words of their neighbours better (Kadane's algorithm).
    private func bestStretch(shiftedBy shift: Int) -> (gain: Double, range: Range<Int>) {
        var best = (gain: 0.0, range: 0..<0)
        var (gain, start) = (0.0, 0)
        for index in spoken.indices {
            if gain <= 0 { (gain, start) = (0, index) }
            guard spoken.indices.contains(index + shift) else {
                gain = 0
                continue
            }
            gain += misfit(index, index) - misfit(index, index + shift)
            if gain > best.gain { best = (gain, start..<index + 1) }
        }
        return best
    }

    /// How badly a recording matches the words of an entry, in nats. Bounded, so that no single one decides.
    private func misfit(_ recording: Int, _ entry: Int) -> Double {
        let deviation = min(abs(log(spoken[recording].seconds / expected[entry])) / spread, 3)
        return deviation * deviation / 2
    }

    /// The line through the points with the median of all slopes (Theil–Sen), which outliers do not affect.
    private static func line(through points: [(Double, Double)]) -> (start: Double, slope: Double) {
        var slopes: [Double] = []
        for (index, point) in points.enumerated() {
            for other in points[..<index] where other.0 != point.0 {
                slopes.append((point.1 - other.1) / (point.0 - other.0))
            }
        }
        let slope = slopes.median
        return (points.map { $0.1 - slope * $0.0 }.median, slope)
    }
}

extension [Double] {
    fileprivate var median: Double { isEmpty ? 0 : sorted()[count / 2] }
}

extension String {
    /// The number of letters, vowel signs and digits, which is close to the number of sounds.
    fileprivate var letterCount: Int {
        unicodeScalars.count { scalar in
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
                .spacingMark, .enclosingMark, .decimalNumber:
                true
            default: false
            }
        }
    }
}
