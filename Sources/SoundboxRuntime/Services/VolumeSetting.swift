import SoundboxAudio
import SoundboxCore

/// How loud the box is.
struct VolumeSetting: Sendable, Equatable {
    /// In force again when the box is no longer muted.
    var volume: Volume
    var isMuted: Bool

    init(volume: Volume, isMuted: Bool) {
        self.volume = volume
        self.isMuted = isMuted
    }
}

/// Changes of the volume in a row, of constant size however many they are: what they amount to together.
struct VolumeAdjustment: Sendable, Equatable {
    /// The steps up and down together, as far as they can make a difference.
    private var step = 0
    /// What the volume is held within afterwards: a step that was cut off at an end is not taken back by the next one.
    private var bounds = Volume(0)...Volume(100)
    /// `nil` leaves it as it is.
    private var isMuted: Bool?
    /// The change that came last.
    private(set) var last: Command.VolumeChange

    init(_ change: Command.VolumeChange) {
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

    func followed(by next: VolumeAdjustment) -> VolumeAdjustment {
        var both = next
        let most = Volume.range.upperBound
        both.step = min(max(step + next.step, -most), most)
        both.bounds = next.volume(bounds.lowerBound)...next.volume(bounds.upperBound)
        both.isMuted = next.isMuted ?? isMuted
        return both
    }

    func applied(to setting: VolumeSetting) -> VolumeSetting {
        VolumeSetting(volume: volume(setting.volume), isMuted: isMuted ?? setting.isMuted)
    }

    private func volume(_ volume: Volume) -> Volume {
        min(max(Volume(volume.level + step), bounds.lowerBound), bounds.upperBound)
    }
}
