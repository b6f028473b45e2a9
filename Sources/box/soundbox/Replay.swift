import ArgumentParser
import SoundboxCommandLine
import SoundboxControl

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
