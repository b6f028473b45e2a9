import Glibc

/// Estimates how high the wave goes that a converter draws through the samples: between two of them it may be higher
/// than either. Four times oversampled, as ITU-R BS.1770-4, annex 2.
struct TruePeakMeter: Sendable {
    /// Samples on either side that a point between two is made of.
    static let reach = 8
    private static let taps = 2 * reach
    private static let phases = 3

    /// What each of the last ``taps`` samples weighs, point after point.
    private let weights: [Float]
    /// What samples must exceed for any point between them to reach 1.
    private let quiet: Float
    /// The last samples twice, one row behind the other, so that they lie in order from any place.
    private var history: [Float]
    private var place = 0
    /// How many more frames something loud is among the last samples.
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
    /// - Returns: the highest point from the sample ``reach`` frames ago to the one behind it, where 1 is the ceiling; of
    ///   points below the ceiling it may return less.
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
