import ArgumentParser
import SoundboxCore
import SoundboxGateway

struct ListPayments: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List payments that shops have not heard of, oldest first.",
        discussion: "Reads the gateway's file, also while the gateway runs. Run it as the gateway's user.")

    @OptionGroup var configuration: ConfigurationOption

    @Flag(help: "Those that no box has announced: waiting, stored, late, refused, given up.")
    var unheard = false

    @Option(help: "At most so many.")
    var limit = 1000

    func validate() throws {
        guard unheard else { throw ValidationError("Say which: --unheard.") }
        guard limit > 0 else { throw ValidationError("--limit is at least 1.") }
    }

    func run() throws {
        let configuration = try GatewayConfiguration(readingFile: configuration.config)
        let store = try configuration.using("database") {
            try SQLitePaymentStore(path: configuration.database, role: .reader)
        }
        let boxes = try store.boxes()
        let payments = try store.unheard(limit: limit + 1)
        for payment in payments.prefix(limit) {
            let box = boxes[payment.box]
            let seen = "box last seen \(box?.seenAt.map { "\($0)" } ?? "never")"
            let columns = [
                "\(payment.accepted.time)", "\(payment.box)", payment.notice.id.text, payment.notice.kind.rawValue,
                "\(payment.notice.money)", payment.state.rawValue,
                [payment.how, payment.reason, seen].compactMap(\.self).joined(separator: "; "),
            ]
            print(columns.map(\.printable).joined(separator: "\t"))
        }
        if payments.count > limit { print("There are more; --limit shows them.") }
    }
}
