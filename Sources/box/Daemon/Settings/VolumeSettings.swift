import SoundboxCore
import SoundboxYAML

/// What of `audio:` is about the volume while the box runs.
package struct VolumeSettings: Sendable, Equatable {
    /// Where keys, and commands that name no volume, stop making it softer: one step above silence, so that a key
    /// pressed too often does not silence the box, also after a restart.
    package var least = Volume(10)
}

extension VolumeSettings {
    /// - Parameter audio: which the settings of the sound card share.
    init(reading audio: YAMLMapping) throws(YAMLError) {
        least = try audio.read("least_volume") { Volume(try $0.integer(in: Volume.range)) } ?? least
    }
}
