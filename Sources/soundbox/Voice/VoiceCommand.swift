import ArgumentParser

struct VoiceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "voice", abstract: "Look after the voices: begin, record, list, check, render and make them.",
        subcommands: [
            NewVoice.self, PrintScript.self, ImportRecordings.self, ListVoices.self, CheckVoice.self,
            RenderAmounts.self,
            SynthesizeVoice.self,
        ])
}
