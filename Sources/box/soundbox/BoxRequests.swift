import ArgumentParser
import SoundboxCommandLine
import SoundboxControl
import SoundboxCore

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show what the running box is doing.")

    @OptionGroup var control: ControlOptions

    @Flag(help: "Print JSON, for programs.")
    var json = false

    func run() async throws {
        let client = try control.client()
        guard !json else { return printLine(try await client.statusJSON().text) }
        for line in try await client.status().listing { printLine(line) }
    }
}

struct Metrics: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print what the running box counts and measures, in the text format of Prometheus.")

    @OptionGroup var control: ControlOptions

    func run() async throws {
        printLine(String(try await control.client().metrics().dropLast()))
    }
}

struct Replay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Have the last payment spoken once more.")

    @OptionGroup var control: ControlOptions

    @Flag(help: "Print JSON, for programs.")
    var json = false

    func run() async throws {
        try await control.client().replay()
        if json { printLine(#"{"replay":true}"#) }
    }
}

struct SetVolume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "volume", abstract: "Show or change the volume; acts on what is being spoken.")

    @Argument(
        help: ArgumentHelp("0 to 100, up, down, mute or unmute; without it the volume is shown.", valueName: "level"))
    var change: String?

    @OptionGroup var control: ControlOptions

    @Flag(help: "Print JSON, for programs.")
    var json = false

    func validate() throws {
        guard let change, !["up", "down", "mute", "unmute"].contains(change) else { return }
        guard let level = Int(change), (0...100).contains(level) else {
            throw ValidationError(
                "The volume is a number from 0 to 100, up, down, mute or unmute, not \"\(change)\".")
        }
    }

    func run() async throws {
        let client = try control.client()
        let answer = if let change { try await client.setVolume(change) } else { try await client.volume() }
        guard !json else { return printLine(answer.text) }
        printLine((answer["volume"]?.text ?? "") + (answer["muted"] == .bool(true) ? " (muted)" : ""))
    }
}
