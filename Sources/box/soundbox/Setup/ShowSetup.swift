import ArgumentParser
import SoundboxCommandLine
import SoundboxSetup

struct ShowSetup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print the setup; secrets are not in it.",
        discussion: """
            Shows what the box understands and what cannot be a secret. All else is named and masked: keys that are \
            misspelt or in the wrong place, paths that lead nowhere on this machine, and a user name without a \
            password beside it, which may be a token.
            """)

    @OptionGroup var configuration: ConfigurationOptions

    func run() throws {
        let text = try ShownConfiguration(readingFile: configuration.config).text
        printLine(text.hasSuffix("\n") ? String(text.dropLast()) : text)
    }
}
