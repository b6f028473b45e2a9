import Glibc

/// Keeps the true peak below a ceiling by looking ahead: the gain falls before the peak comes, and rises slowly after
/// it.
///
/// It looks ahead by more than half a wave of all that a small loudspeaker plays. So the gain is constant through a
/// steady tone and adds no distortion.
struct PeakLimiter: Sendable {
    /// −1 dBTP, less the error of the peak's estimate.
    static let ceiling: Float = 0.84
    /// In seconds. `release` is a time constant.
    private static let lookAhead = 0.0035
    private static let release = 0.100
    /// Gains are whole multiples of 2⁻³², so that their running sum is always exact.
    private static let unit: Int64 = 1 << 32

    /// How many frames sound is delayed.
    let latency: Int
    /// Frames that the gain is held and smoothed over.
    private let window: Int
    private let releaseShare: Double
    private var meter = TruePeakMeter()
    private var delayed: [Float]
    private var delayPlace = 0
    /// The lowest gain of the window at its front, followed by the lowest of the rest, and so on: gains and their
    /// frames.
    private var minima: [(gain: Double, frame: Int)]
    private var minimaStart = 0
    private var minimaCount = 0
    private var frame = 0
    private var released = 1.0
    private var smoothed: [Int64]
    private var smoothedPlace = 0
    private var sum: Int64

    init(sampleRate: Int) {
        window = max(1, Int(Self.lookAhead * Double(sampleRate)) - TruePeakMeter.reach)
        latency = window - 1 + TruePeakMeter.reach
        releaseShare = 1 - exp(-1 / (Self.release * Double(sampleRate)))
        delayed = [Float](repeating: 0, count: latency + 1)
        minima = [(Double, Int)](repeating: (1, 0), count: window)
        smoothed = [Int64](repeating: Self.unit, count: window)
        sum = Self.unit * Int64(window)
    }

    mutating func reset() {
        meter.reset()
        for index in delayed.indices { delayed[index] = 0 }
        for index in smoothed.indices { smoothed[index] = Self.unit }
        (delayPlace, minimaStart, minimaCount, frame, released, smoothedPlace) = (0, 0, 0, 0, 1, 0)
        sum = Self.unit * Int64(window)
    }

    /// Takes the next sample and returns the one ``latency`` frames before it.
    mutating func limit(_ sample: Float) -> Float {
        let peak = Double(meter.peak(with: sample / Self.ceiling))
        let lowest = lowestOfWindow(peak > 1 ? 1 / peak : 1)
        released = lowest < released ? lowest : released + (lowest - released) * releaseShare
        // Rounded down: a gain is never above what was found.
        let gain = Int64(released * Double(Self.unit))
        sum += gain - smoothed[smoothedPlace]
        smoothed[smoothedPlace] = gain
        smoothedPlace = smoothedPlace + 1 == window ? 0 : smoothedPlace + 1

        delayed[delayPlace] = sample
        delayPlace = delayPlace + 1 == delayed.count ? 0 : delayPlace + 1
        let limited = delayed[delayPlace] * Float(Double(sum) / Double(Self.unit * Int64(window)))
        // Never reached if the peak's estimate is right. The encoder cannot take more than full scale.
        return min(max(limited, -1), 1)
    }

    /// The lowest gain of the window that ends with this one. Drops gains that a later lower one makes irrelevant.
    private mutating func lowestOfWindow(_ gain: Double) -> Double {
        while minimaCount > 0, minima[wrapped(minimaStart + minimaCount - 1)].gain >= gain { minimaCount -= 1 }
        if minimaCount > 0, minima[minimaStart].frame <= frame - window {
            minimaStart = wrapped(minimaStart + 1)
            minimaCount -= 1
        }
        minima[wrapped(minimaStart + minimaCount)] = (gain, frame)
        minimaCount += 1
        frame += 1
        return minima[minimaStart].gain
    }

    /// A remainder without a division, which is slow on small processors.
    private func wrapped(_ index: Int) -> Int { index < window ? index : index - window }
}

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
