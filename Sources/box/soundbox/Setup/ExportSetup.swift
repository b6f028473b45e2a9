import ArgumentParser
import SoundboxCommandLine
import SoundboxSetup

struct ExportSetup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the whole setup, SECRETS INCLUDED, to one file, to replace this box.",
        discussion: "The file is readable by its owner only (mode 0600). Delete it when the new box works.")

    @Argument(help: ArgumentHelp("A new file.", valueName: "file"))
    var file: String

    @OptionGroup var configuration: ConfigurationOptions

    func run() throws {
        try Provisioning.write(try Provisioning.export(configuration.config), to: file)
        printLine("\(file) holds this box's secrets: whoever has it can be this box.")
    }
}
