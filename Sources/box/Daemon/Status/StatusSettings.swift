import SoundboxCore
import SoundboxYAML

/// `status:`.
package struct StatusSettings: Sendable, Equatable {
    /// How often the status is sent without a change. Those who read it believe one for three minutes.
    package var interval = Duration.seconds(60)
}

extension StatusSettings {
    init(reading mapping: YAMLMapping) throws(YAMLError) {
        interval = try mapping.read("interval") { try $0.duration(in: .seconds(10) ... .seconds(150)) } ?? interval
        try mapping.refuseOtherKeys()
    }
}
