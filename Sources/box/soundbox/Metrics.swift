import ArgumentParser
import SoundboxCommandLine
import SoundboxControl

struct Metrics: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print what the running box counts and measures, in the text format of Prometheus.")

    @OptionGroup var control: ControlOptions

    func run() async throws {
        printLine(String(try await control.client().metrics().dropLast()))
    }
}
