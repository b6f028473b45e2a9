import SoundboxCore
import SoundboxSpeech

/// The joined words of one announcement, and where they may be ended.
struct Speech: Sendable {
    /// Sound that is no recording of the voice has no known word ends. It is ended where it is quiet, or after this
    /// time.
    static let timeout = Duration.milliseconds(500)
    /// The length of a stop between two syllables, and the level below which that counts as quiet: −40 dBFS.
    private static let quietTime = Duration.milliseconds(20)
    private static let quietLevel: Float = 327.68
    /// A peak below this, leaving the mixer, is too soft to hear: −50 dBFS. 1 is full scale.
    static let leastPeak: Float = 0.003_162

    let samples: [Int16]
    let sampleRate: Int
    /// The script of these elements.
    private let script: AnnouncementScript
    /// The frames in which each element sounds. Two elements that overlap share the frames of the overlap.
    let places: [Range<Int>]
    /// The peak of the loudest word, 1 being full scale. If a word's peak is below ``leastPeak``, the peak of the
    /// softest one: the inaudible word may be the decisive digit.
    let peak: Float

    init(_ samples: [Int16], at sampleRate: Int, of script: AnnouncementScript, places: [Range<Int>]) {
        self.samples = samples
        self.sampleRate = sampleRate
        self.script = script
        self.places = places
        let peaks = zip(script.elements, places).compactMap { element, place -> Float? in
            if case .pause = element { return nil }
            return place.isEmpty ? nil : Self.peak(of: samples[place])
        }
        let softest = peaks.min() ?? 0
        peak = softest < Self.leastPeak ? softest : peaks.max() ?? 0
    }

    /// 1 is full scale; 0 for no samples.
    static func peak(of samples: ArraySlice<Int16>) -> Float {
        var (low, high): (Int16, Int16) = (0, 0)
        samples.withUnsafeBufferPointer { samples in
            for index in samples.indices {
                low = min(low, samples[index])
                high = max(high, samples[index])
            }
        }
        return max(-Float(low), Float(high)) / 32768
    }

    /// Where each element ends. For two that overlap, the first ends with the overlap.
    var elementEnds: [Int] { places.map(\.upperBound) }

    /// Where the speech can end soonest: between two elements, in a rest, or in the silence at the end; never inside an
    /// amount.
    /// - Parameter place: the first frame that is not played yet.
    func end(from place: Int) -> Int {
        let elementEnds = elementEnds
        var start = 0
        for (index, element) in script.elements.enumerated() {
            let end = elementEnds[index]
            defer { start = end }
            guard end > place else { continue }
            if start >= place, index == 0 || !script.amountGoesOn(behind: index - 1) { return start }
            if script.amountRanges.contains(where: { $0.contains(index) }) { continue }
            switch element {
            case .phrase: break
            case .pause: return place
            case .sound:
                if let end = endOfSound(in: max(start, place)..<end) { return end }
            }
        }
        // After the last word.
        return max(place, elementEnds.last ?? 0)
    }

    /// `nil` when the sound ends soon by itself.
    private func endOfSound(in range: Range<Int>) -> Int? {
        func frames(_ duration: Duration) -> Int { Int(duration / .milliseconds(1)) * sampleRate / 1000 }
        let window = max(1, frames(Self.quietTime))
        let last = min(range.upperBound, range.lowerBound + frames(Self.timeout))
        for begin in stride(from: range.lowerBound, to: last - window, by: max(1, window / 4)) {
            let energy = samples[begin..<begin + window].reduce(Float(0)) { $0 + Float($1) * Float($1) }
            if energy < Self.quietLevel * Self.quietLevel * Float(window) { return begin }
        }
        return last < range.upperBound ? last : nil
    }
}
