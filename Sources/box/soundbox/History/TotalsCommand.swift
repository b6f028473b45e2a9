import ArgumentParser
import SoundboxBox
import SoundboxCommandLine
import SoundboxControl
import SoundboxCore

struct TotalsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "totals",
        abstract: "Sum up what the running box has received: today, unless asked for other days.",
        discussion: """
            Payments, refunds, and what is left, exactly, for each currency and each way to pay. What was cancelled is \
            counted and in no sum; other kinds of news are summed apart.

              soundbox totals
              soundbox totals --day yesterday
              soundbox totals --from 2026-11-01 --to 2026-11-30 --format csv
              soundbox totals --from 7d --currency CNY --json
              soundbox totals --chart
              soundbox totals --from 7d --chart

            Payments that came while the clock was not set, or before it was set back, are counted apart: nobody knows \
            their day. The sums may lack them, so the command ends with 1. So it does if a part of the history cannot \
            be read.

            --chart draws the payments of each hour, and of a range that is longer than a day those of each day, 31 of \
            them at most. Refunds are in the total below, and in no bar.
            """)

    @OptionGroup var options: HistoryOptions

    @Flag(help: "Draw the payments per hour, or per day, as bars.")
    var chart = false

    func validate() throws {
        guard !chart || options.chosenFormat == .table else {
            throw ValidationError("--chart is a picture for people: it goes without --json and --format csv or json.")
        }
    }

    func run() async throws {
        let client = try options.control.client()
        var parameters = options.parameters
        if options.from == nil, options.to == nil, options.day == nil { parameters.append(("day", "today")) }
        var pages = HistoryPages(parameters: parameters)
        var picture: TakingsChart?
        if chart {
            picture = try await Self.chart(&pages, client)
            pages = pages.again
        }
        var totals = Totals()
        while let page = try await pages.next(limit: nil, client.totals) {
            guard let part = page["part"].flatMap(Totals.init(decoding:)) else { throw HistoryPages.foreignAnswer }
            totals.add(earlier: part)
        }
        endProgress()
        if let picture {
            // The totals come from the same entries as the bars, without payments that arrive meanwhile.
            let printer = TotalsPrinter(totals: picture.totals, from: pages.from, to: pages.to)
            for line in printer.picture(picture.charts(width: Terminal.width)) { printLine(line) }
        } else {
            Self.print(TotalsPrinter(totals: totals, from: pages.from, to: pages.to), as: options.chosenFormat)
        }
        if totals.timeUnknown > 0 {
            printError(
                "payments whose time is not known: \(totals.timeUnknown); the sums lack them if they are of this range")
        }
        if let unreadable = totals.unreadable {
            printError(
                "\(unreadable.count) rows of the history cannot be read, the first is row \(unreadable.first): the sums "
                    + "lack them if they are of this range")
        }
        guard totals.isComplete else { throw ExitCode.failure }
    }

    private static func print(_ printer: TotalsPrinter, as format: OutputFormat) {
        switch format {
        case .table: for line in printer.table { printLine(line) }
        case .csv: StandardOutput.put(printer.csv)
        case .json: printLine(printer.json.text)
        }
    }

    private static func chart(_ pages: inout HistoryPages, _ client: ControlClient) async throws -> TakingsChart {
        var chart: TakingsChart?
        do {
            while let page = try await pages.next(limit: nil, client.history) {
                guard case .array(let entries)? = page["entries"], var picture = chart ?? TakingsChart(of: page) else {
                    throw HistoryPages.foreignAnswer
                }
                for entry in entries where try !picture.add(entry) { throw HistoryPages.foreignAnswer }
                chart = picture
            }
        } catch {
            endProgress()
            throw error
        }
        guard let chart else { throw HistoryPages.foreignAnswer }
        return chart
    }
}

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
