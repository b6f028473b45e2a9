import ArgumentParser
import SoundboxGateway

struct CheckConfiguration: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Read gateway.yaml and what it names: tokens, hooks and secrets.",
        discussion: """
            Prints the hooks, or what cannot be read, with file and line. Changes nothing, and needs no broker. Run it as \
            the gateway's user.
            """)

    @OptionGroup var configuration: ConfigurationOption

    func run() throws {
        let configuration = try GatewayConfiguration(readingFile: configuration.config)
        _ = try configuration.brokerSettings()
        let hooks = try GatewayService.read(configuration).reader.hooks.keys.sorted()
        print("hooks: \(hooks.isEmpty ? "none" : hooks.joined(separator: " "))")
    }
}
