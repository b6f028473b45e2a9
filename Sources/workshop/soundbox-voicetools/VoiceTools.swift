import ArgumentParser
import SoundboxCommandLine
import SoundboxCore

/// The voice author's program. Each subcommand has its own file.
struct VoiceTools: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soundbox-voicetools",
        abstract: "Begin, record, check, compare and make the voices of a sound box.",
        version: SoundboxVersion.current,
        subcommands: [
            NewVoice.self, PrintScript.self, ImportRecordings.self, CheckVoice.self, RenderAmounts.self,
            CompareVoices.self, SynthesizeVoice.self,
        ])
}

@main
enum Main {
    static func main() async {
        StandardOutput.open(program: "soundbox-voicetools")
        await VoiceTools.runProgram()
    }
}
