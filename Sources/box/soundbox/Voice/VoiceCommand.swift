import ArgumentParser

struct VoiceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "voice",
        abstract: "List the voices, and hear everything that one has to say.",
        discussion: "Voices are made and checked with soundbox-voicetools, a package of its own.",
        subcommands: [ListVoices.self, TryVoice.self, MovedVoiceCommand.self])
}

/// A former subcommand for voice authors.
struct MovedVoiceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Moved to soundbox-voicetools.", shouldDisplay: false,
        aliases: ["new", "script", "import", "render", "compare", "synthesize"])

    @Argument(parsing: .captureForPassthrough)
    var arguments: [String] = []

    func validate() throws {
        let name = CommandLine.arguments.dropFirst(2).first ?? "check"
        throw ValidationError(
            "`soundbox voice \(name)` is now `soundbox-voicetools \(name)`, in the package soundbox-voicetools.")
    }
}
