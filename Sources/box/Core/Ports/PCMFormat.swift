/// How one sample is stored. All are little-endian, signed, with full scale at ±1.0.
public enum SampleEncoding: String, Sendable, Equatable, CaseIterable {
    case int16
    /// 24 significant bits in three bytes (ALSA's `S24_3LE`).
    case int24Packed
    /// 24 significant bits in the low three bytes of four (ALSA's `S24_LE`).
    case int24
    case int32
    case float32

    /// Bytes of one sample of one channel.
    public var bytesPerSample: Int {
        switch self {
        case .int16: 2
        case .int24Packed: 3
        case .int24, .int32, .float32: 4
        }
    }
}

/// The one format that an open sink takes. The mixer converts to it; the sink never converts.
public struct PCMFormat: Sendable, Equatable {
    /// Frames per second, 8,000–192,000.
    public var sampleRate: Int
    /// Interleaved channels, 1 or more. The box's sound is mono; every channel carries the same.
    public var channelCount: Int
    public var encoding: SampleEncoding
    /// Frames that are mixed and written at a time. A volume change acts on whole periods.
    public var framesPerPeriod: Int

    public init(sampleRate: Int, channelCount: Int, encoding: SampleEncoding, framesPerPeriod: Int) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.encoding = encoding
        self.framesPerPeriod = framesPerPeriod
    }

    public var bytesPerFrame: Int { channelCount * encoding.bytesPerSample }
    public var bytesPerPeriod: Int { framesPerPeriod * bytesPerFrame }

    /// How long `frames` last at this rate.
    public func duration(ofFrames frames: Int) -> Duration {
        .nanoseconds(Int64(frames) * 1_000_000_000 / Int64(sampleRate))
    }

    /// The whole frames that begin within `duration`.
    public func frames(in duration: Duration) -> Int {
        Int(duration / .nanoseconds(1_000_000_000 / Double(sampleRate)))
    }
}
