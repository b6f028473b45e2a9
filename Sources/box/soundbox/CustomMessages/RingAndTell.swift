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
        // A minute for the connection and the receipts, and the time of the ring if its end is awaited.
        try await sender.send(members, timeout: .seconds(sender.wait ? timeout + 60 : 60))
    }

    private var members: [(name: String, value: JSONValue)] {
        [("type", .string("ring")), ("timeout", .integer(timeout))] + content.members
    }
}

struct Tell: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Have the configured box say a sentence.",
        discussion: """
            Returns when the broker has the command; with --wait, when the box has said it (exit code 0), could not, or \
            has refused it, and prints the receipts. What has no recordings is spoken by espeak-ng, and a \
            clip is played, where the package soundbox-speak is installed. Amounts are never taken from a text.

              soundbox tell 欢迎光临 --wait
              soundbox tell --segments 欢迎使用收款音箱
              soundbox tell --kind queue_number --number 12
              soundbox tell 今日打烊 --clip https://cdn.example.com/bye.ogg --sha256 "$(sha256sum <bye.ogg | cut -c-64)"

            For a box with a key the command is signed with it, which takes the right to read the key's file.
            """)

    @OptionGroup var content: CustomMessageContent

    @Option(help: ArgumentHelp("How long to wait at most, in seconds.", valueName: "seconds"))
    var timeout = 60

    @OptionGroup var sender: CustomMessageSender

    func validate() throws {
        guard timeout > 0 else { throw ValidationError("--timeout is a number of seconds greater than 0.") }
        try CustomMessageContent.check(members)
    }

    func run() async throws { try await sender.send(members, timeout: .seconds(timeout)) }

    private var members: [(name: String, value: JSONValue)] { [("type", .string("say"))] + content.members }
}
