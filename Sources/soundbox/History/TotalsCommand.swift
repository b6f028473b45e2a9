import ArgumentParser
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

            Payments that came while the clock was not set are counted apart: nobody knows their day. If a part of the \
            history cannot be read, the command ends with 1, since the sums lack something then.
            """)

    @OptionGroup var options: HistoryOptions

    func run() async throws {
        let client = try options.control.client()
        var parameters = options.parameters
        if options.from == nil, options.to == nil, options.day == nil { parameters.append(("day", "today")) }
        var pages = HistoryPages(parameters: parameters)
        var totals = Totals()
        while let page = try await pages.next(limit: nil, client.totals) {
            guard let part = page["part"].flatMap(Totals.init(decoding:)) else { throw HistoryPages.foreignAnswer }
            totals.add(earlier: part)
        }
        endProgress()
        let printer = TotalsPrinter(totals: totals, from: pages.from, to: pages.to)
        switch options.chosenFormat {
        case .table: for line in printer.table { printLine(line) }
        case .csv: StandardOutput.put(printer.csv)
        case .json: printLine(printer.json.text)
        }
        guard let unreadable = totals.unreadable else { return }
        printError(
            "\(unreadable.count) rows of the history cannot be read, the first is row \(unreadable.first): the sums lack "
                + "them if they are of this range")
        throw ExitCode.failure
    }
}
