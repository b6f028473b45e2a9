import ArgumentParser
import SoundboxControl
import SoundboxCore

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show what the running box is doing.")

    @OptionGroup var control: ControlOptions

    @Flag(help: "Print JSON, for programs.")
    var json = false

    func run() async throws {
        let status = try await control.client().status()
        guard !json else { return printLine(status.text) }
        guard case .object(let members) = status else { return }
        let width = members.map(\.name.count).max() ?? 0
        for (name, value) in members {
            let label = name.replacing("_", with: " ")
            printLine(label + String(repeating: " ", count: width - name.count + 2) + Self.words(value))
        }
    }

    private static func words(_ value: JSONValue) -> String {
        switch value {
        case .string(let text): text
        case .bool(let flag): flag ? "yes" : "no"
        case .array(let elements): elements.isEmpty ? "none" : elements.map(words).joined(separator: "; ")
        default: value.text
        }
    }
}
