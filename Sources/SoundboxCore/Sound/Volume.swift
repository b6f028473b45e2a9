/// The box's loudness as people set it: 0–100, each step about as audible as the next.
public struct Volume: Sendable, Equatable, Comparable {
    public static let range = 0...100
    /// What one press of a volume key changes.
    public static let step = 10

    public let level: Int

    /// Levels outside 0…100 become the nearest end.
    public init(_ level: Int) {
        self.level = min(max(level, Self.range.lowerBound), Self.range.upperBound)
    }

    public func louder() -> Volume { Volume(level + Self.step) }
    public func softer() -> Volume { Volume(level - Self.step) }

    /// The factor for samples: the cube of the level. Hearing follows roughly the cube root of power changes in this
    /// range; alsamixer and PulseAudio use the same curve. 100 is 1.0, 50 is −18 dB, 0 is silence.
    public var gain: Float {
        let fraction = Float(level) / 100
        return fraction * fraction * fraction
    }

    public static func < (left: Volume, right: Volume) -> Bool { left.level < right.level }
}
