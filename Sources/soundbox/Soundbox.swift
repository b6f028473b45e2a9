import ArgumentParser
import Glibc
import SoundboxCore

/// The one executable; every subcommand is a file of its own.
struct Soundbox: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soundbox",
        abstract: "Says aloud what a shop is paid, the moment it is paid.",
        version: SoundboxVersion.current,
        groupedSubcommands: [
            CommandGroup(name: "The box", subcommands: [Run.self, SetupCommand.self, DoctorCommand.self]),
            CommandGroup(
                name: "The running box",
                subcommands: [
                    Status.self, History.self, TotalsCommand.self, Metrics.self, PageCommand.self, Replay.self,
                    SetVolume.self,
                ]),
            CommandGroup(name: "The hardware", subcommands: [BoardCommand.self]),
            CommandGroup(
                name: "Trials",
                subcommands: [
                    Say.self, Publish.self, Ring.self, Tell.self, Cancel.self, VoiceCommand.self, DecodeClip.self,
                ]),
        ])
}

@main
enum Main {
    static func main() async {
        StandardOutput.open()
        do {
            var command = try Soundbox.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            exit(for: error)
        }
        Glibc.exit(StandardOutput.close(EXIT_SUCCESS))
    }

    /// Help and version go to standard output with code 0; every error is one line on standard error: bad usage with
    /// code 64 (EX_USAGE of sysexits.h), anything else with 1.
    private static func exit(for error: any Error) -> Never {
        let code = Soundbox.exitCode(for: error)
        if code == .success {
            printLine(Soundbox.fullMessage(for: error))
            Glibc.exit(StandardOutput.close(EXIT_SUCCESS))
        }
        if let code = error as? ExitCode { Glibc.exit(StandardOutput.close(code.rawValue)) }
        let hint = code == .validationFailure ? " Try: soundbox --help" : ""
        let message = Soundbox.message(for: error).split(separator: "\n").joined(separator: " ")
        printError("\(message)\(hint)")
        Glibc.exit(StandardOutput.close(code == .validationFailure ? EX_USAGE : EXIT_FAILURE))
    }
}
