import ArgumentParser
import Glibc
import SoundboxCore

/// The provider's program. Each subcommand has its own file.
struct Gateway: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soundbox-gateway",
        abstract: "Takes payments by HTTP and sends them to sound boxes until the boxes have them.",
        version: SoundboxVersion.current,
        subcommands: [
            RunGateway.self, CheckConfiguration.self, ListPayments.self, ListUnread.self, RetryUnread.self,
            ListCallbacks.self,
        ])
}

@main
enum Main {
    /// Help and version go to standard output with code 0; every error is one line on standard error: bad usage with
    /// code 64 (EX_USAGE of sysexits.h), anything else with 1.
    static func main() async {
        do {
            var command = try Gateway.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            let code = Gateway.exitCode(for: error)
            if code == .success {
                print(Gateway.fullMessage(for: error))
                exit(EXIT_SUCCESS)
            }
            let hint = code == .validationFailure ? " Try: soundbox-gateway --help" : ""
            let message = Gateway.message(for: error).split(separator: "\n").joined(separator: " ")
            var line = "soundbox-gateway: \(message.printable)\(hint)\n"
            line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
            exit(code == .validationFailure ? EX_USAGE : EXIT_FAILURE)
        }
    }
}

struct ConfigurationOption: ParsableArguments {
    @Option(help: ArgumentHelp("The configuration file.", valueName: "file"))
    var config = "/etc/soundbox-gateway/gateway.yaml"
}
