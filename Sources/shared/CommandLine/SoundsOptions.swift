import ArgumentParser
import SoundboxSystem
import SoundboxVoice

/// The option for the folder of the voices.
public struct SoundsOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder that holds the voices; otherwise ./sounds when there is one, else \(InstalledFolders.sounds).",
            valueName: "folder"))
    var sounds: String?

    public init() {}

    public var folder: VoiceFolder { VoiceFolder(path: sounds ?? InstalledFolders.nearestSounds) }
}
