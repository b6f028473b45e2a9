import ArgumentParser
import SoundboxRuntime

struct ShowSetup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print the setup; secrets are not in it.")

    @OptionGroup var configuration: ConfigurationOptions

    func run() throws {
        let text = try Provisioning.exportWithoutSecrets(configuration.config)
        printLine(text.hasSuffix("\n") ? String(text.dropLast()) : text)
    }
}
