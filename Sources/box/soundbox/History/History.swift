import ArgumentParser
import SoundboxBox
import SoundboxCommandLine
import SoundboxControl
import SoundboxCore

struct History: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List what the running box has received, newest first.",
        discussion: """
            Days are the shop's business days (day.cut_over, day.time_zone in the configuration).

              soundbox history --limit 20
              soundbox history --day yesterday --channel alipay
              soundbox history --amount 12.50 --id-ends 6789
              soundbox history --from 7d --kind refund --format csv > refunds.csv
              soundbox history --from 2026-11-01 --to 2026-11-30 --json

            A * behind a time of arrival says that the clock could not be believed then. What the inbox has forgotten \
            (inbox.keep) is not listed, nor are notices that were refused: a line below the table counts those of \
            the last 24 hours.
            """)

    @OptionGroup var options: HistoryOptions

    @Option(help: ArgumentHelp("At most so many; otherwise all.", valueName: "count"))
    var limit: Int?

    func validate() throws {
        guard limit ?? 1 > 0 else { throw ValidationError("--limit is a number greater than 0.") }
    }

    func run() async throws {
        let client = try options.control.client()
        var printer = HistoryPrinter(format: options.chosenFormat)
        var pages = HistoryPages(parameters: options.parameters)
        var rest = limit ?? .max
        while rest > 0, !StandardOutput.isLost, let page = try await pages.next(limit: rest, client.history) {
            guard case .array(let entries)? = page["entries"] else { throw HistoryPages.foreignAnswer }
            printer.print(entries)
            rest -= entries.count
        }
        endProgress()
        // The table is complete even if this request fails.
        printer.finish(refused: try? await client.status().noticesRefused)
        try pages.tellOfUnreadableRows()
    }
}

/// Prints entries of the history as they arrive, and holds only one page of them.
struct HistoryPrinter {
    let format: OutputFormat
    private var table = Table(
        headings: ["arrived", "kind", "amount", "currency", "channel", "state", "how", "id"], right: [2])
    private var hasBegun = false

    init(format: OutputFormat) { self.format = format }

    mutating func print(_ entries: [JSONValue]) {
        switch format {
        case .json:
            for entry in entries {
                printLine((hasBegun ? "," : "[") + entry.text)
                hasBegun = true
            }
        case .csv:
            beginCSV()
            StandardOutput.put(entries.map { CSV.record(HistoryEntry.columns.map($0.csvField)) }.joined())
        case .table:
            for line in table.lines(entries.map(\.tableRow)) { printLine(line) }
        }
    }

    /// - Parameter refused: printed below the table; left out of CSV and JSON.
    mutating func finish(refused: RefusedNotices?) {
        switch format {
        case .json: printLine(hasBegun ? "]" : "[]")
        case .csv: beginCSV()
        case .table:
            for line in table.lines([]) { printLine(line) }
            if let refused { printLine("\n\(refused.warning)") }
        }
    }

    private mutating func beginCSV() {
        if !hasBegun { StandardOutput.put(CSV.record(HistoryEntry.columns)) }
        hasBegun = true
    }
}

extension JSONValue {
    fileprivate var tableRow: [String] {
        func text(_ name: String) -> String { self[name]?.string ?? "" }
        let time = text("received_at").prefix(19).map { $0 == "T" ? " " : $0 }
        let mark = self["time_known"]?.bool == false ? "*" : ""
        return [
            String(time) + mark, text("kind"), text("amount"), text("currency"), text("channel"), text("state"),
            text("how"), text("id"),
        ]
    }
}
