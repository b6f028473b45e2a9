import ArgumentParser
import Glibc
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
        let (_, store) = try configuration.open(.reader)
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

struct ListCallbacks: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "callbacks",
        abstract: "List callbacks that their receivers have not taken, oldest first.",
        discussion: """
            Columns: number, time, receiver, event id, event, payment, attempts, waiting or given up, last answer. Reads \
            the gateway's file, also while the gateway runs. Run it as the gateway's user.
            """)

    @OptionGroup var configuration: ConfigurationOption

    @Flag(help: "One JSON object a line, with the whole event.")
    var json = false

    func run() throws {
        let (_, store) = try configuration.open(.reader)
        var last: Int64 = 0
        while case let page = try store.callbacks(after: last, limit: 500), let end = page.last {
            for callback in page { print(json ? callback.json.text : line(callback)) }
            last = end.number
        }
    }

    private func line(_ callback: Callback) -> String {
        let data = callback.event?["data"]
        let payment = ["merchant", "device", "id"].compactMap { data?[$0]?.string }.joined(separator: "/")
        let columns = [
            "\(callback.number)", "\(callback.created.time)", callback.receiver, callback.eventID,
            callback.event?["type"]?.string ?? "", payment, "\(callback.attempts)",
            callback.givenUpAt.map { "given up \($0)" } ?? "waiting", callback.answer ?? "",
        ]
        return columns.map(\.printable).joined(separator: "\t")
    }
}

struct ResendCallbacks: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resend",
        abstract: "Send callbacks again that were given up.",
        discussion: """
            As if they were new: at once, and for another three days. Prints their numbers. Ends with 1 if a number that \
            was named is of none that was given up. Works while the gateway runs. Run it as the gateway's user.
            """)

    @OptionGroup var configuration: ConfigurationOption

    @Argument(help: ArgumentHelp("Numbers, as in the list; all without one.", valueName: "number"))
    var numbers: [Int64] = []

    func run() throws {
        let (_, store) = try configuration.open(.editor)
        let sent = try store.resendCallbacks(numbers, at: store.clock.now)
        for number in sent { print("\(number)\tis sent again") }
        let unknown = Set(numbers).subtracting(sent).sorted()
        for number in unknown { print("\(number)\tunknown\tthere is no callback of this number that was given up") }
        if !unknown.isEmpty { throw Failure(description: "not sent again: \(unknown.count)") }
    }
}

struct ListUnread: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unread",
        abstract: "List genuine webhooks that could not be read or were for no box, oldest first.",
        discussion: """
            Columns: number, time, hook, how often it came, reason, the first bytes. Reads the gateway's file, also while \
            the gateway runs. Run it as the gateway's user.
            """)

    @OptionGroup var configuration: ConfigurationOption

    @Flag(help: "One JSON object a line, with the whole document.")
    var json = false

    func run() throws {
        let (_, store) = try configuration.open(.reader)
        for number in try store.unreadNumbers() {
            guard let unread = try store.unread(number) else { continue }
            guard !json else {
                print(unread.json.text)
                continue
            }
            let columns = [
                "\(unread.number)", "\(unread.came)", unread.webhook.hook, "\(unread.count)", unread.reason,
                String(decoding: unread.webhook.document.prefix(80), as: UTF8.self),
            ]
            print(columns.map(\.printable).joined(separator: "\t"))
        }
    }
}

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
        let (configuration, store) = try configuration.open(.editor)
        let reader = try GatewayService.reader(configuration)
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
        if failures > 0 { throw Failure(description: "not read: \(failures)") }
    }
}

/// Ends the program with 1.
private struct Failure: Error, CustomStringConvertible {
    let description: String
}
