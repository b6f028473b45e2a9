import ArgumentParser
import SoundboxCore
import SoundboxGateway

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
        let configuration = try GatewayConfiguration(readingFile: configuration.config)
        let store = try configuration.using("database") {
            try SQLitePaymentStore(path: configuration.database, role: .reader)
        }
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
