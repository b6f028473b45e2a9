import ArgumentParser
import Glibc
import SoundboxCommandLine
import SoundboxCore

/// The box's program. Each subcommand has its own file.
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
                    Say.self, Publish.self, RingCommand.self, Tell.self, Cancel.self, VoiceCommand.self,
                ]),
        ])
}

@main
enum Main {
    static func main() async {
        // A parent that ignores it hands that on, and the end of a child is then told to nobody (sigaction(2)).
        signal(SIGCHLD, SIG_DFL)
        StandardOutput.open(program: "soundbox")
        if let code = ConnectingCommand.runInChild() { exit(code) }
        await Soundbox.runProgram()
    }
}
