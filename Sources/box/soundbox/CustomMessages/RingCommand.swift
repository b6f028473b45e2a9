import ArgumentParser
import SoundboxCore

struct RingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ring",
        abstract: "Have the configured box ring until somebody answers.",
        discussion: """
            Returns when the broker has the command; with --wait, when somebody has pressed the button (exit code 0), \
            nobody has in time, the ring was cancelled (0), or the box has refused it, and prints the receipts.

              soundbox ring --wait
              soundbox ring 三号桌叫人 --timeout 60 --id table-3
              soundbox cancel table-3
              soundbox ring --clip https://cdn.example.com/bell.ogg --sha256 "$(sha256sum <bell.ogg | cut -c-64)"

            For a box with a key the command is signed with it, which takes the right to read the key's file.
            """)

    @OptionGroup var content: CustomMessageContent

    @Option(help: ArgumentHelp("How long it rings, 5 to 600 seconds.", valueName: "seconds"))
    var timeout = Int(CustomMessage.defaultRingTimeout.components.seconds)

    @OptionGroup var sender: CustomMessageSender

    func validate() throws { try CustomMessageContent.check(members) }

    func run() async throws {
        // The time of the ring, and a minute for the connection and the receipts.
        try await sender.send(members, timeout: .seconds(timeout + 60))
    }

    private var members: [(name: String, value: JSONValue)] {
        [("type", .string("ring")), ("timeout", .integer(timeout))] + content.members
    }
}
