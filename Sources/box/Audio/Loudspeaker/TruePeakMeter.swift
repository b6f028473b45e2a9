import Glibc

/// Estimates the peak of the wave that a converter reconstructs: between two samples it may be higher than either. Four
/// times oversampled, as in ITU-R BS.1770-4, annex 2.
struct TruePeakMeter: Sendable {
    /// How many samples on either side a point between two is computed from.
    static let reach = 8
    private static let taps = 2 * reach
    private static let phases = 3

    /// The weights of the last ``taps`` samples, point after point.
    private let weights: [Float]
    /// The level that samples must exceed for any point between them to reach 1.
    private let quiet: Float
    /// The last samples twice, one row after the other, so that they are in order from any place.
    private var history: [Float]
    private var place = 0
    /// For how many more frames something loud is among the last samples.
    private var loudFrames = 0

    init() {
        var weights: [Float] = []
        var most: Float = 1
        for phase in 1...Self.phases {
            let fraction = Double(phase) / Double(Self.phases + 1)
            let row = (0..<Self.taps).map { tap -> Double in
                let distance = Double(tap - Self.reach + 1) - fraction
                // A sinc under the window of a raised cosine.
                return sin(.pi * distance) / (.pi * distance) * (0.5 + 0.5 * cos(.pi * distance / Double(Self.reach)))
            }
            let sum = row.reduce(0, +)
            weights += row.map { Float($0 / sum) }
            most = max(most, Float(row.reduce(0) { $0 + abs($1 / sum) }))
        }
        self.weights = weights
        quiet = 1 / most
        history = [Float](repeating: 0, count: 2 * Self.taps)
    }

    mutating func reset() {
        for index in history.indices { history[index] = 0 }
        loudFrames = 0
    }

    /// Takes the next sample.
    /// - Returns: the highest point from the sample ``reach`` frames ago to the next one, where 1 is the ceiling; for
    ///   points below the ceiling the value may be too low.
    mutating func peak(with sample: Float) -> Float {
        history[place] = sample
        history[place + Self.taps] = sample
        place = place + 1 == Self.taps ? 0 : place + 1
        if abs(sample) > quiet { loudFrames = Self.taps } else { loudFrames = max(0, loudFrames - 1) }
        // From `place` on lie the last samples in order.
        var highest = max(abs(history[place + Self.reach - 1]), abs(history[place + Self.reach]))
        guard loudFrames > 0 else { return highest }
        for phase in 0..<Self.phases {
            var sum: Float = 0
            for tap in 0..<Self.taps { sum += history[place + tap] * weights[phase * Self.taps + tap] }
            highest = max(highest, abs(sum))
        }
        return highest
    }
}
