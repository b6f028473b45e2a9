import ArgumentParser
import SoundboxConfiguration
import SoundboxControl
import SoundboxCore
import SoundboxYAML

struct ConfigurationOptions: ParsableArguments {
    @Option(name: [.long, .short], help: ArgumentHelp("The configuration.", valueName: "file"))
    var config = Configuration.defaultPath

    func read() throws -> Configuration { try Configuration(readingFile: config) }
}

struct ControlOptions: ParsableArguments {
    @OptionGroup var configuration: ConfigurationOptions

    @Option(help: ArgumentHelp("The box's control socket, instead of the configured one.", valueName: "path"))
    var socket: String?

    func client() throws -> ControlClient {
        ControlClient(socketPath: try socket ?? configuration.read().controlSocket)
    }
}
