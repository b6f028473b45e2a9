import ArgumentParser
import SoundboxConfiguration
import SoundboxSystem
import SoundboxVoice

struct SoundsOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder that holds the voices; otherwise ./sounds when there is one, else \(InstalledFolders.sounds).",
            valueName: "folder"))
    var sounds: String?

    var folder: VoiceFolder { VoiceFolder(path: sounds ?? InstalledFolders.nearestSounds) }
}

struct VoiceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Which voice speaks.", valueName: "locale"))
    var voice = Configuration.Default.locale

    @OptionGroup var sounds: SoundsOptions

    func open() throws -> Voice { try sounds.folder.voice(voice) }
}
