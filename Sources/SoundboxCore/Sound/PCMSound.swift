/// Decoded sound that is no recording of the voice: mono samples, held in memory.
public struct PCMSound: Sendable, Equatable {
    /// Longer sound is refused by whoever makes one.
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
