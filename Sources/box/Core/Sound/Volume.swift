/// The box's volume as people set it: 0–100, with about equal audible steps.
public struct Volume: Sendable, Equatable, Comparable {
    public static let range = 0...100
    /// The change by one press of a volume key.
    public static let step = 10

    public let level: Int

    /// Levels outside 0…100 become the nearest end.
    public init(_ level: Int) {
        self.level = min(max(level, Self.range.lowerBound), Self.range.upperBound)
    }

    public func louder() -> Volume { Volume(level + Self.step) }
    public func softer() -> Volume { Volume(level - Self.step) }

    /// The factor for samples. 0 is silence, 1 is −39 dB, where speech begins to be heard, 50 is −15.5 dB, 80 is −5.6
    /// dB, and 100 is 1.0. One level is 0.6 dB at the lower end and 0.3 dB at the upper one. From 70 up it is within 1
    /// dB of the cube of the level, which alsamixer uses and which is silence in its lowest steps.
    public var gain: Float {
        guard level > 0 else { return 0 }
        let root = 0.4 + 0.006 * Float(level)
        return root * root * root * root * root
    }

    public static func < (left: Volume, right: Volume) -> Bool { left.level < right.level }
}

/// What the box does to a sound card's own controls. The volume is applied to the samples either way.
public enum CardLevel: String, Sendable, CaseIterable {
    /// When the box opens the card, controls between it and the loudspeaker that are muted or nearly silent are turned
    /// up.
    case raise
    /// They stay as they are.
    case keep
}
