import Glibc
import SoundboxCore

/// Joins recordings into one sound without clicks.
///
/// If the voice sounds on both sides of a join, the two recordings overlap in a short equal-power cross-fade that
/// begins at a rising zero crossing of each: the wave continues in phase and at its level. Everywhere else the edge is
/// faded to silence, which changes nothing in a recording whose margins are silent.
struct Splicer: Sendable {
    enum Piece: Sendable, Equatable {
        /// Mono samples.
        case sound([Int16])
        /// Frames of silence.
        case silence(Int)
    }

    /// How much two voiced recordings overlap: a period of a deep voice, too short to be heard as two sounds.
    static let overlap = Duration.milliseconds(8)
    /// How far from the join a zero crossing is searched: a period of 100 Hz.
    static let searchRange = Duration.milliseconds(10)
    /// Short enough to keep the attack of a plosive.
    static let edge = Duration.milliseconds(2)
    /// The level from which a side counts as voiced: −50 dBFS, the same as for trimming.
    private static let voicedLevel: Double = 32768 * 0.003_162

    private let searchRange: Int
    private let edge: Int
    /// Gains of the incoming sound; the outgoing one uses them backwards. Their squares add up to one.
    private let fadeIn: [Float]

    /// - Parameter sampleRate: frames per second.
    init(sampleRate: Int) {
        func frames(_ duration: Duration) -> Int { Int(duration / .nanoseconds(1) * Double(sampleRate) / 1e9) }
        let overlap = max(2, frames(Self.overlap))
        searchRange = frames(Self.searchRange)
        edge = frames(Self.edge)
        fadeIn = (0..<overlap).map { frame in
            Float(sin(Double.pi / 2 * (Double(frame) + 0.5) / Double(overlap)))
        }
    }

    /// The pieces joined in order.
    func joined(_ pieces: [Piece]) -> [Int16] { spliced(pieces).samples }

    /// The pieces joined in order, and the frames in which each of them sounds. Two that overlap share the frames of
    /// the overlap.
    func spliced(_ pieces: [Piece]) -> (samples: [Int16], places: [Range<Int>]) {
        var output: [Int16] = []
        var places: [Range<Int>] = []
        output.reserveCapacity(pieces.reduce(0) { $0 + $1.frameCount })
        // Where the last piece of the output begins; `nil` while the output ends with silence.
        var start: Int?
        for piece in pieces {
            var begin = output.count
            switch piece {
            case .silence(let frames):
                if let start { fadeOutEnd(of: &output, from: start) }
                output.append(contentsOf: repeatElement(0, count: max(0, frames)))
                start = nil
            case .sound(let samples):
                let place = append(samples, to: &output, after: start)
                if let last = places.last, let end = place.overlapEnd {
                    places[places.count - 1] = last.lowerBound..<end
                }
                begin = place.start
                start = begin
            }
            places.append(begin..<output.count)
        }
        if let start { fadeOutEnd(of: &output, from: start) }
        return (output, places)
    }

    /// - Returns: where `samples` begin in the output, and where the sound before ends if the two overlap.
    private func append(
        _ samples: [Int16], to output: inout [Int16], after start: Int?
    ) -> (start: Int, overlapEnd: Int?) {
        if let start {
            if let join = join(of: output[start...], and: samples) {
                let begin = crossFade(samples, into: &output, join)
                return (begin, begin + fadeIn.count)
            }
            fadeOutEnd(of: &output, from: start)
        }
        let begin = output.count
        output += samples
        for frame in 0..<min(edge, samples.count) {
            output[begin + frame] = Self.scaled(samples[frame], Float(frame) / Float(edge))
        }
        return (begin, nil)
    }

    private func fadeOutEnd(of output: inout [Int16], from start: Int) {
        for frame in 0..<min(edge, output.count - start) {
            let place = output.count - 1 - frame
            output[place] = Self.scaled(output[place], Float(frame) / Float(edge))
        }
    }

    // MARK: Cross-fades

    private struct Join {
        /// In the output: where the fade of the old sound begins.
        var out: Int
        /// In the new samples: where their fade begins.
        var into: Int
    }

    /// Where two sounds overlap; `nil` when either is silent at the join or too short.
    private func join(of old: ArraySlice<Int16>, and new: [Int16]) -> Join? {
        let needed = fadeIn.count + searchRange
        guard old.count >= 2 * needed, new.count >= 2 * needed else { return nil }
        let tail = old.suffix(needed)
        let head = new.prefix(needed)
        guard Self.isVoiced(tail), Self.isVoiced(head) else { return nil }
        return Join(
            out: tail.prefix(searchRange).risingZeroCrossings.last ?? old.endIndex - fadeIn.count,
            into: head.prefix(searchRange).risingZeroCrossings.first ?? 0)
    }

    private func crossFade(_ samples: [Int16], into output: inout [Int16], _ join: Join) -> Int {
        output.removeSubrange((join.out + fadeIn.count)...)
        for frame in fadeIn.indices {
            let old = Float(output[join.out + frame]) * fadeIn[fadeIn.count - 1 - frame]
            let new = Float(samples[join.into + frame]) * fadeIn[frame]
            output[join.out + frame] = Int16(min(max(old + new, -32768), 32767).rounded())
        }
        output += samples[(join.into + fadeIn.count)...]
        return join.out
    }

    private static func isVoiced(_ samples: ArraySlice<Int16>) -> Bool {
        let energy = samples.reduce(0.0) { $0 + Double($1) * Double($1) }
        return (energy / Double(samples.count)).squareRoot() >= voicedLevel
    }

    private static func scaled(_ sample: Int16, _ gain: Float) -> Int16 { Int16((Float(sample) * gain).rounded()) }
}

extension ArraySlice<Int16> {
    fileprivate var risingZeroCrossings: [Int] {
        indices.dropFirst().filter { self[$0 - 1] < 0 && self[$0] >= 0 }
    }
}

extension Splicer.Piece {
    fileprivate var frameCount: Int {
        switch self {
        case .sound(let samples): samples.count
        case .silence(let frames): max(0, frames)
        }
    }
}
