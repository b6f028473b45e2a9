/// Decoded sound that is not a recording of the voice: mono samples in memory.
public struct PCMSound: Sendable, Equatable {
    /// The makers of sounds refuse longer ones.
    public static let longest = Duration.seconds(30)

    public let samples: [Int16]
    /// Frames per second.
    public let sampleRate: Int

    public init(samples: [Int16], sampleRate: Int) {
        self.samples = samples
        self.sampleRate = sampleRate
    }

    public var duration: Duration { .nanoseconds(1_000_000_000 / Double(sampleRate) * Double(samples.count)) }
}
