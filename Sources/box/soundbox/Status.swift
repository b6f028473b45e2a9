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
