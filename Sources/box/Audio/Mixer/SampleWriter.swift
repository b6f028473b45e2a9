import SoundboxCore

/// Writes mono samples as interleaved frames of any format, the same on every channel.
enum SampleWriter {
    /// - Parameters:
    ///   - samples: ±1.0 is full scale. As a whole number, a sample beyond it is full scale, and one that is no number
    ///     is silence.
    ///   - bytes: resized to exactly the frames written; allocates only when its size changes.
    static func write(_ samples: [Float], to bytes: inout [UInt8], as format: PCMFormat) {
        let size = samples.count * format.bytesPerFrame
        if bytes.count != size { bytes = [UInt8](repeating: 0, count: size) }
        switch format.encoding {
        case .int16:
            store(samples, to: &bytes, format) {
                Int16(truncatingIfNeeded: scaled($0, 32767)).littleEndian
            }
        case .int24: store(samples, to: &bytes, format) { scaled($0, 8_388_607).littleEndian }
        case .int32: store(samples, to: &bytes, format) { scaled($0, 2_147_483_647).littleEndian }
        case .float32: store(samples, to: &bytes, format) { $0.bitPattern.littleEndian }
        case .int24Packed: storePacked(samples, to: &bytes, format)
        }
    }

    /// Rounded to nearest. In double precision, because a float cannot hold 32 bits.
    @inline(__always)
    private static func scaled(_ sample: Float, _ fullScale: Double) -> Int32 {
        // In this order of operands, what is no number stays so, and becomes 0.
        Int32(nearest: min(max(Double(sample), -1), 1) * fullScale)
    }

    @inline(__always)
    private static func store<Word: BitwiseCopyable>(
        _ samples: [Float], to bytes: inout [UInt8], _ format: PCMFormat, _ word: (Float) -> Word
    ) {
        let size = MemoryLayout<Word>.size
        let channels = format.channelCount
        // By pointers, so that the compiler vectorises it. The sizes match, see above.
        samples.withUnsafeBufferPointer { samples in
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
    }

    private static func storePacked(_ samples: [Float], to bytes: inout [UInt8], _ format: PCMFormat) {
        var place = 0
        for frame in samples.indices {
            let word = UInt32(bitPattern: scaled(samples[frame], 8_388_607))
            for _ in 0..<format.channelCount {
                for byte in 0..<3 {
                    bytes[place] = UInt8(truncatingIfNeeded: word >> UInt32(8 * byte))
                    place += 1
                }
            }
        }
    }
}
