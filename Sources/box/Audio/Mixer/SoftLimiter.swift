/// Keeps peaks below −1 dBFS without the crackle of clipping.
///
/// Nothing changes up to −2 dBFS. Above, the curve bends with a continuous slope and never reaches the ceiling, however
/// loud the sum of the buses is. It has no memory, so it neither pumps nor delays.
enum SoftLimiter {
    /// −2 dBFS.
    static let knee: Float = 0.794_33
    /// −1 dBFS: headroom for what a converter reconstructs between two samples.
    static let ceiling: Float = 0.891_25

    /// Limits all samples. Nearly always none is above the knee, which this finds out cheaply.
    static func limit(_ samples: UnsafeMutableBufferPointer<Float>) {
        // Bit patterns of magnitudes have the same order as the magnitudes, and integers are compared many at a time.
        var loudest: Int32 = 0
        for sample in samples { loudest = max(loudest, Int32(bitPattern: sample.bitPattern & 0x7FFF_FFFF)) }
        guard loudest > Int32(bitPattern: knee.bitPattern) else { return }
        for place in samples.indices { samples[place] = limit(samples[place]) }
    }

    static func limit(_ sample: Float) -> Float {
        let magnitude = abs(sample)
        guard magnitude > knee else { return sample }
        let excess = magnitude - knee
        let room = ceiling - knee
        let limited = knee + excess * room / (excess + room)
        return sample < 0 ? -limited : limited
    }
}
