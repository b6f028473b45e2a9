import ArgumentParser
import SoundboxCore

struct Cancel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take back a ring, a sentence or a payment, waiting or sounding.",
        discussion: """
            Returns when the broker has the command; with --wait, when the box has taken it back (exit code 0) or says \
            why it cannot, and prints the receipts. A ring that has not come yet is remembered: its receipt comes when \
            the ring does.

              soundbox cancel table-3
              soundbox cancel 2026112122001476231405 --payment --wait
              soundbox cancel 2026112122001476231405 --refund    the refund with this id

            For a box with a key the command is signed with it, which takes the right to read the key's file.
            """)

    enum Subject: String, EnumerableFlag {
        case command
        case payment
        case refund

        static func help(for value: Subject) -> ArgumentHelp? {
            switch value {
            case .command: "TARGET is the id of a ring's or sentence's command. (default)"
            case .payment: "TARGET is the id of a payment, or of another notice that is no refund."
            case .refund: "TARGET is the id of a refund."
            }
        }
    }

    @Argument(help: "The id of what is to be taken back.")
    var target: String

    @Flag(exclusivity: .exclusive)
    var subject = Subject.command

    @Option(help: ArgumentHelp("How long to wait at most, in seconds.", valueName: "seconds"))
    var timeout = 60

    @OptionGroup var sender: CustomMessageSender

    func validate() throws {
        guard timeout > 0 else { throw ValidationError("--timeout is a number of seconds greater than 0.") }
        do { _ = try cancelTarget() } catch { throw ValidationError("TARGET: \(error).") }
    }

    func run() async throws {
        var members: [(name: String, value: JSONValue)] = [
            ("type", .string("cancel")), (subject == .command ? "command_id" : "payment_id", .string(target)),
        ]
        if subject == .refund { members.append(("kind", .string("refund"))) }
        try await sender.send(
            members, timeout: .seconds(timeout), awaiting: CustomMessageReceipts(of: try cancelTarget()))
    }

    private func cancelTarget() throws(PaymentIDError) -> CancelTarget {
        switch subject {
        case .command: .customMessage(try CommandID(target))
        case .payment: .payment(try PaymentID(target))
        case .refund: .payment(try PaymentID(target).of(.refund))
        }
    }
}
