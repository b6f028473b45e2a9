import ArgumentParser
import SoundboxCommandLine
import SoundboxCore
import SoundboxGPIO

struct CheckBoard: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "See for every line of a board whether it exists, is free, and is as its file says.",
        discussion: "Needs the lines, so a running box has to be stopped first: systemctl stop soundbox.")

    @OptionGroup var board: BoardOptions

    @Flag(help: "Print JSON, for programs.")
    var json = false

    func run() throws {
        let findings = BoardCheck(try board.read()).findings()
        if json {
            printLine(JSONValue.array(findings.map(\.json)).text)
        } else {
            for finding in findings {
                printLine("\(finding.part): \(finding.line): \(finding.problem ?? "in order")")
            }
            if findings.isEmpty { printLine("\(board.name): nothing is wired to this board") }
        }
        if findings.contains(where: { $0.problem != nil }) { throw ExitCode.failure }
    }
}

extension BoardCheck.Finding {
    fileprivate var json: JSONValue {
        .object([
            ("part", .string(part)), ("line", .string("\(line)")), ("ok", .bool(problem == nil)),
            ("problem", problem.map { .string($0) } ?? .null),
        ])
    }
}
