import ArgumentParser

struct VoiceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "voice",
        abstract: "Look after the voices: begin, record, list, try, check, render, compare and make them.",
        subcommands: [
            NewVoice.self, PrintScript.self, ImportRecordings.self, ListVoices.self, TryVoice.self, CheckVoice.self,
            RenderAmounts.self, CompareVoices.self,
            SynthesizeVoice.self,
        ])
}
