import Glibc

/// A second-order filter, by the formulas of Robert Bristow-Johnson's Audio EQ Cookbook.
///
/// In double precision: at 300 Hz and 48 kHz the rounding of floats would be audible as noise.
struct Biquad: Sendable {
    private let b0, b1, b2, a1, a2: Double
    private var first = 0.0
    private var second = 0.0

    private init(b: (Double, Double, Double), a: (Double, Double, Double)) {
        (b0, b1, b2) = (b.0 / a.0, b.1 / a.0, b.2 / a.0)
        (a1, a2) = (a.1 / a.0, a.2 / a.0)
    }

    /// - Parameters:
    ///   - frequency: where a filter of Q 0.71 has lost 3 dB, in periods per frame; below 0.5.
    ///   - q: the quality factor of its resonance.
    static func highPass(_ frequency: Double, q: Double) -> Biquad {
        let angle = 2 * Double.pi * frequency
        let alpha = sin(angle) / (2 * q)
        let edge = 1 + cos(angle)
        return Biquad(b: (edge / 2, -edge, edge / 2), a: (1 + alpha, -2 * cos(angle), 1 - alpha))
    }

    /// - Parameters:
    ///   - frequency: of the bell's middle, in periods per frame; below 0.5.
    ///   - q: the higher, the narrower.
    ///   - decibels: the gain in the middle.
    static func bell(_ frequency: Double, q: Double, decibels: Double) -> Biquad {
        let angle = 2 * Double.pi * frequency
        let alpha = sin(angle) / (2 * q)
        let root = pow(10, decibels / 40)
        return Biquad(
            b: (1 + alpha * root, -2 * cos(angle), 1 - alpha * root),
            a: (1 + alpha / root, -2 * cos(angle), 1 - alpha / root))
    }

    /// In the transposed direct form II, which has the smallest rounding error.
    mutating func filter(_ sample: Double) -> Double {
        let output = b0 * sample + first
        first = b1 * sample - a1 * output + second
        second = b2 * sample - a2 * output
        return output
    }

    /// Clears a state that has decayed: denormal numbers take a processor ten times as long.
    mutating func settle() {
        if abs(first) < 1e-20, abs(second) < 1e-20 { reset() }
    }

    mutating func reset() {
        first = 0
        second = 0
    }
}
