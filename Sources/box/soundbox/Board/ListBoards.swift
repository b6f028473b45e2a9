import ArgumentParser
import SoundboxCommandLine
import SoundboxCore
import SoundboxGPIO

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
