import SoundboxCore

/// Writes mono samples as interleaved frames of any format, the same on every channel.
enum SampleWriter {
    /// - Parameters:
    ///   - samples: full scale is ±1.0; nothing outside of it.
    ///   - bytes: resized to exactly the frames written.
    static func write(_ samples: [Float], to bytes: inout [UInt8], as format: PCMFormat) {
        let size = samples.count * format.bytesPerFrame
        if bytes.count != size { bytes = [UInt8](repeating: 0, count: size) }
        var place = 0
        for sample in samples {
            let word = word(of: sample, as: format.encoding)
            for _ in 0..<format.channelCount {
                for byte in 0..<format.encoding.bytesPerSample {
                    bytes[place] = UInt8(truncatingIfNeeded: word >> UInt32(8 * byte))
                    place += 1
                }
            }
        }
    }

    /// The sample's bits, in the low bytes that the encoding uses.
    private static func word(of sample: Float, as encoding: SampleEncoding) -> UInt32 {
        func scaled(_ fullScale: Double) -> UInt32 {
            UInt32(bitPattern: Int32((Double(sample) * fullScale).rounded()))
        }
        switch encoding {
        case .int16: return scaled(32767)
        case .int24, .int24Packed: return scaled(8_388_607)
        case .int32: return scaled(2_147_483_647)
        case .float32: return sample.bitPattern
        }
    }
}
