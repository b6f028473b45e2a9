import ArgumentParser

struct VoiceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "voice", abstract: "Look after the voices: list, check, render and make them.",
        subcommands: [ListVoices.self, CheckVoice.self, RenderAmounts.self, SynthesizeVoice.self])
}
