import ArgumentParser
import Glibc
import SoundboxCore
import SoundboxGateway

struct RetryUnread: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Read unread webhooks again, with the hooks' files as they are now.",
        discussion: """
            What can be read is stored as a payment, which the gateway publishes within a second; the rest stays, with its \
            reason. Ends with 1 if some stay. Works while the gateway runs, which reads its hooks again with: \
            systemctl reload soundbox-gateway. Run it as the gateway's user.
            """)

    @OptionGroup var configuration: ConfigurationOption

    @Argument(help: ArgumentHelp("Numbers, as in the list; all without one.", valueName: "number"))
    var numbers: [Int64] = []

    func run() throws {
        let configuration = try GatewayConfiguration(readingFile: configuration.config)
        let reader = try GatewayService.reader(configuration)
        let store = try configuration.using("database") {
            try SQLitePaymentStore(path: configuration.database, role: .editor)
        }
        var failures = 0
        for number in numbers.isEmpty ? try store.unreadNumbers() : numbers {
            let outcome: String
            switch try reader.retry(number, in: store) {
            case .read(let payments): outcome = "read\tpayments: \(payments)"
            case .ignored(let reason): outcome = "ignored\t\(reason.printable)"
            case .unread(let reason):
                outcome = "unread\t\(reason.printable)"
                failures += 1
            // Deleted since it was listed.
            case .unknown where numbers.isEmpty: continue
            case .unknown:
                outcome = "unknown\tthere is no unread webhook of this number"
                failures += 1
            }
            print("\(number)\t\(outcome)")
            // It may be ended at any time: what it has done is on the screen, also through a pipe.
            fflush(nil)
        }
        if failures > 0 { throw Remaining(count: failures) }
    }

    private struct Remaining: Error, CustomStringConvertible {
        let count: Int

        var description: String { "not read: \(count)" }
    }
}
