/// Changes of the volume in a row, of constant size however many they are: what they amount to together.
public struct LoudnessChange: Sendable, Equatable {
    /// The steps up and down together, as far as they can make a difference.
    private var step = 0
    /// What the volume is held within afterwards: a step that was cut off at an end is not taken back by the next one.
    private var bounds = Volume(0)...Volume(100)
    /// `nil` leaves it as it is.
    private var isMuted: Bool?
    /// The change that came last.
    public private(set) var last: Command.VolumeChange

    public init(_ change: Command.VolumeChange) {
        last = change
        bounds = change.applied(to: bounds.lowerBound)...change.applied(to: bounds.upperBound)
        switch change {
        case .up: step = Volume.step
        case .down: step = -Volume.step
        case .to, .mute, .unmute: break
        }
        // Either it does the same to a muted box as to another one, or it leaves both as they are.
        let outcome = change.applied(toMuted: true)
        isMuted = change.applied(toMuted: false) == outcome ? outcome : nil
    }

    public func followed(by next: LoudnessChange) -> LoudnessChange {
        var both = next
        let most = Volume.range.upperBound
        both.step = min(max(step + next.step, -most), most)
        both.bounds = next.volume(bounds.lowerBound)...next.volume(bounds.upperBound)
        both.isMuted = next.isMuted ?? isMuted
        return both
    }

    public func applied(to loudness: Loudness) -> Loudness {
        Loudness(volume: volume(loudness.volume), isMuted: isMuted ?? loudness.isMuted)
    }

    private func volume(_ volume: Volume) -> Volume {
        min(max(Volume(volume.level + step), bounds.lowerBound), bounds.upperBound)
    }
}
