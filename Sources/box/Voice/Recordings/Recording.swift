import Glibc
import SoundboxCore

/// One piece of mono sound in memory.
public struct Recording: Sendable, Equatable {
    /// The name in errors: a file name or path.
    public var name: String
    /// Frames per second.
    public var sampleRate: Int
    /// Full scale at ±1.0.
    public var samples: [Float]

    public init(name: String, sampleRate: Int, samples: [Float]) {
        self.name = name
        self.sampleRate = sampleRate
        self.samples = samples
    }

    /// The mean of the samples: 0 unless the recording equipment has a fault.
    package var offset: Double {
        samples.isEmpty ? 0 : samples.reduce(0.0) { $0 + Double($1) } / Double(samples.count)
    }

    public var duration: Duration {
        .nanoseconds(Int64(samples.count) * 1_000_000_000 / Int64(sampleRate))
    }

    /// The number of frames nearest to `duration` at this recording's rate.
    package func frames(in duration: Duration) -> Int {
        let (seconds, attoseconds) = duration.components
        return Int(((Double(seconds) + Double(attoseconds) * 1e-18) * Double(sampleRate)).rounded())
    }

    /// The sound with samples that are whole multiples of the step of `bits` bits, 2–16.
    package func rounded(toBits bits: Int) -> Recording {
        let steps = Float(1 << (bits - 1))
        var rounded = self
        rounded.samples = samples.map { min(max(($0 * steps).rounded(), -steps), steps - 1) / steps }
        return rounded
    }

    /// The samples as 16-bit PCM, rounded to nearest and limited to full scale.
    ///
    /// Not dithered: the result must be the same every time, and rounding at −96 dBFS lies far below the noise of any
    /// recording. A sample that was read from 16-bit PCM becomes the same integer again.
    package var pcm16: [Int16] {
        [Int16](unsafeUninitializedCapacity: samples.count) { output, count in
            samples.withUnsafeBufferPointer { samples in
                // By pointers, so that the compiler vectorises it.
                for place in samples.indices {
                    let limited = min(max(Double(samples[place]) * 32768, -32768), 32767)
                    output[place] = Int16(truncatingIfNeeded: Int32(nearest: limited))
                }
            }
            count = samples.count
        }
    }
}

extension Double {
    /// An amplitude ratio as decibels; −∞ for 0.
    package static func decibels(ofAmplitude ratio: Double) -> Double { 20 * log10(ratio) }

    /// Decibels as an amplitude ratio.
    package static func amplitude(ofDecibels decibels: Double) -> Double { pow(10, decibels / 20) }
}
