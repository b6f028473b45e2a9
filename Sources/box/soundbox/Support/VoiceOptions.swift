import ArgumentParser
import SoundboxCommandLine
import SoundboxConfiguration
import SoundboxVoice

struct VoiceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Which voice speaks.", valueName: "locale"))
    var voice = Configuration.Default.locale

    @OptionGroup var sounds: SoundsOptions

    func open() throws -> Voice { try sounds.folder.voice(voice) }
}
