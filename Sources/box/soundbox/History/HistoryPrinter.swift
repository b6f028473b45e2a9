import SoundboxBox
import SoundboxCommandLine
import SoundboxCore

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
