import SoundboxCore

/// Writes mono samples as interleaved frames of any format, the same on every channel.
enum SampleWriter {
    /// - Parameters:
    ///   - samples: ±1.0 is full scale. As a whole number, a sample beyond it is full scale, and one that is no number
    ///     is silence.
    ///   - bytes: resized to exactly the frames written; allocates only when its size changes.
    static func write(_ samples: [Float], to bytes: inout [UInt8], as format: PCMFormat) {
        samples.withUnsafeBufferPointer { samples in
            // In this order of operands, what is no number stays so, and becomes 0.
            write(samples, to: &bytes, as: format, float: { $0 }, bounded: { min(max(Double($0), -1), 1) })
        }
    }

    /// The same bytes as for `sound` as floats, multiplied by `gain`, in one pass.
    ///
    /// - Parameter gain: such that no sample is beyond full scale.
    static func write(
        _ sound: UnsafeBufferPointer<Int16>, at gain: Float, to bytes: inout [UInt8], as format: PCMFormat
    ) {
        // A power of two: the product is rounded as if it came later.
        let gain = gain * (1 / 32768)
        write(
            sound, to: &bytes, as: format, float: { Float($0) * gain }, bounded: { Double(Float($0) * gain) })
    }

    static func writeSilence(frames: Int, to bytes: inout [UInt8], as format: PCMFormat) {
        resize(&bytes, to: frames * format.bytesPerFrame)
        bytes.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
    }

    private static func resize(_ bytes: inout [UInt8], to size: Int) {
        if bytes.count != size { bytes = [UInt8](repeating: 0, count: size) }
    }

    @inline(__always)
    private static func write<Sample>(
        _ samples: UnsafeBufferPointer<Sample>, to bytes: inout [UInt8], as format: PCMFormat,
        float: (Sample) -> Float, bounded: (Sample) -> Double
    ) {
        resize(&bytes, to: samples.count * format.bytesPerFrame)
        switch format.encoding {
        case .int16:
            store(samples, to: &bytes, format) {
                Int16(truncatingIfNeeded: scaled(bounded($0), 32767)).littleEndian
            }
        case .int24: store(samples, to: &bytes, format) { scaled(bounded($0), 8_388_607).littleEndian }
        case .int32: store(samples, to: &bytes, format) { scaled(bounded($0), 2_147_483_647).littleEndian }
        case .float32: store(samples, to: &bytes, format) { float($0).bitPattern.littleEndian }
        case .int24Packed: storePacked(samples, to: &bytes, format, bounded)
        }
    }

    /// Rounded to nearest. In double precision, because a float cannot hold 32 bits.
    @inline(__always)
    private static func scaled(_ sample: Double, _ fullScale: Double) -> Int32 { Int32(nearest: sample * fullScale) }

    @inline(__always)
    private static func store<Sample, Word: BitwiseCopyable>(
        _ samples: UnsafeBufferPointer<Sample>, to bytes: inout [UInt8], _ format: PCMFormat, _ word: (Sample) -> Word
    ) {
        let size = MemoryLayout<Word>.size
        let channels = format.channelCount
        // By pointers, so that the compiler vectorises it. The sizes match, see above.
        bytes.withUnsafeMutableBytes { output in
            // By index: without optimisation an iterator allocates at every step.
            if channels == 1 {
                for frame in samples.indices {
                    output.storeBytes(of: word(samples[frame]), toByteOffset: frame &* size, as: Word.self)
                }
                return
            }
            if channels == 2 {
                for frame in samples.indices {
                    let word = word(samples[frame])
                    output.storeBytes(of: word, toByteOffset: 2 &* frame &* size, as: Word.self)
                    output.storeBytes(of: word, toByteOffset: 2 &* frame &* size &+ size, as: Word.self)
                }
                return
            }
            var place = 0
            for frame in samples.indices {
                let word = word(samples[frame])
                for _ in 0..<channels {
                    output.storeBytes(of: word, toByteOffset: place, as: Word.self)
                    place &+= size
                }
            }
        }
    }

    @inline(__always)
    private static func storePacked<Sample>(
        _ samples: UnsafeBufferPointer<Sample>, to bytes: inout [UInt8], _ format: PCMFormat,
        _ bounded: (Sample) -> Double
    ) {
        var place = 0
        for frame in samples.indices {
            let word = UInt32(bitPattern: scaled(bounded(samples[frame]), 8_388_607))
            for _ in 0..<format.channelCount {
                for byte in 0..<3 {
                    bytes[place] = UInt8(truncatingIfNeeded: word >> UInt32(8 * byte))
                    place += 1
                }
            }
        }
    }
}
