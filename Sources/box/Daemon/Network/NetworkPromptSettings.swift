import SoundboxCore
import SoundboxYAML

/// Which network prompts the box speaks by itself, and when: `announce.network_grace` and `announce.prompts`.
package struct NetworkPromptSettings: Sendable, Equatable {
    /// How long the network must be away before it counts as lost.
    package var grace = Duration.seconds(30)
    /// Whether the box says that the network was lost or found.
    package var saysNetwork = true
    /// Whether a box that has started says that it is ready.
    package var saysReady = true
}

extension NetworkPromptSettings {
    /// - Parameter announce: which the other settings of announcements share.
    init(reading announce: YAMLMapping) throws(YAMLError) {
        let prompts = try announce.section("prompts")
        grace = try announce.read("network_grace") { try $0.duration(in: .seconds(5) ... .hours(1)) } ?? grace
        saysNetwork = try prompts.read("network") { try $0.bool() } ?? saysNetwork
        saysReady = try prompts.read("ready") { try $0.bool() } ?? saysReady
        try prompts.refuseOtherKeys()
    }
}
