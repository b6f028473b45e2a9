import ArgumentParser
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
