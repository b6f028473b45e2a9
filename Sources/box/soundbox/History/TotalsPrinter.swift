import SoundboxBox
import SoundboxCore

/// Totals in each output format.
struct TotalsPrinter {
    let totals: Totals
    /// RFC 3339; `nil` for no bound.
    let from: String?
    let to: String?

    var json: JSONValue {
        .object(
            [
                ("from", from.map { .string($0) } ?? .null), ("to", to.map { .string($0) } ?? .null),
                ("complete", .bool(totals.isComplete)),
            ] + totals.members)
    }

    private static let headings = ["of", "currency", "payments", "gross", "refunds", "refunded", "net"]

    /// One record for each currency, each channel and each other kind.
    var csv: String {
        var records = [["of"] + ["name"] + Self.headings.dropFirst()]
        records += totals.sortedCurrencies.map { ["currency", ""] + Self.cells($0.key, $0.value) }
        records += totals.sortedChannels.map {
            ["channel", CSV.harmless($0.key.name ?? "")] + Self.cells($0.key.currency, $0.value)
        }
        records += totals.sortedOthers.map {
            [
                "kind", CSV.harmless($0.key.name), $0.key.currency.code, "\($0.value.count)", "\($0.value.sum)", "", "",
                "",
            ]
        }
        return records.map(CSV.record).joined()
    }

    var table: [String] {
        let lines = lines(
            totals.sortedChannels.map { [$0.key.name ?? "(no channel)"] + Self.cells($0.key.currency, $0.value) })
        return [range] + (lines.isEmpty ? [Self.nothing] : lines) + notes
    }

    /// The bars, and the totals of each currency below them. Channels have no bars.
    /// - Parameter charts: the bars of the same range as ``totals``.
    func picture(_ charts: [[String]]) -> [String] {
        let charts = charts.isEmpty ? [[Self.nothing]] : charts.map { $0 + [""] }
        return [range] + charts.joined() + lines([]) + notes
    }

    private static let nothing = "no payments"

    private var range: String { "\(from ?? "the beginning") – \(to ?? "now")" }

    private func lines(_ channels: [[String]]) -> [String] {
        var table = Table(headings: Self.headings, right: [2, 3, 4, 5, 6])
        let currencies = totals.sortedCurrencies.map { ["all"] + Self.cells($0.key, $0.value) }
        let others = totals.sortedOthers.map {
            [$0.key.name, $0.key.currency.code, "\($0.value.count)", "\($0.value.sum)", "", "", ""]
        }
        let rows = currencies + channels + others
        return rows.isEmpty ? [] : table.lines(rows)
    }

    private var notes: [String] {
        totals.cancelled > 0 ? ["cancelled, in no sum: \(totals.cancelled)"] : []
    }

    private static func cells(_ currency: Currency, _ takings: Totals.Takings) -> [String] {
        [
            currency.code, "\(takings.payments)", "\(takings.gross)", "\(takings.refunds)", "\(takings.refunded)",
            "\(takings.net)",
        ]
    }
}
