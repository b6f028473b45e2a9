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
