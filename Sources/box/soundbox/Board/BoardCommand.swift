import ArgumentParser
import SoundboxCommandLine
import SoundboxCore
import SoundboxGPIO
import SoundboxSystem

struct BoardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "board",
        abstract: "Look after the hardware: list the boards, check the wiring, try buttons, lights and sound.",
        subcommands: [ListBoards.self, CheckBoard.self, TestBoard.self])
}

struct BoardsOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder that holds the boards; otherwise ./board when there is one, else \(InstalledFolders.board).",
            valueName: "folder"))
    var boards: String?

    var folder: String { boards ?? InstalledFolders.nearestBoard }
}

struct BoardOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("Which board; see soundbox board list.", valueName: "name"))
    var name: String

    @OptionGroup var boards: BoardsOptions

    func read() throws -> BoardLayout { try BoardFile.read(name: name, in: boards.folder) }
}

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

struct ListBoards: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Show which boards there are.")

    @OptionGroup var boards: BoardsOptions

    @Flag(help: "Print JSON, for programs.")
    var json = false

    func run() throws {
        let names = BoardFile.names(in: boards.folder)
        guard !names.isEmpty else { throw ValidationError("\"\(boards.folder)\" holds no board; expected NAME.yaml") }
        // Report an unreadable one, and list the others.
        var layouts: [BoardLayout] = []
        for name in names {
            do { layouts.append(try BoardFile.read(name: name, in: boards.folder)) } catch { printError("\(error)") }
        }
        if json {
            let entries = layouts.map {
                JSONValue.object([("name", .string($0.name)), ("description", .string($0.description))])
            }
            printLine(JSONValue.array(entries).text)
        } else {
            for layout in layouts { printLine("\(layout.name)  \(layout.description)") }
        }
        if layouts.count < names.count { throw ExitCode.failure }
    }
}

struct TestBoard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Walk through the hardware: the lights and buttons of a board, or its sound.",
        discussion: """
              soundbox board test raspberry-pi     its lights and buttons
              soundbox board test audio            the sound, as configured
            """,
        subcommands: [TestPanel.self, TestAudio.self], defaultSubcommand: TestPanel.self)
}
