import ArgumentParser
import SoundboxBox
import SoundboxCommandLine
import SoundboxControl
import SoundboxCore

enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
    case table, csv, json
}

/// The part of the history that a command shows.
struct HistoryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            From here on: a business day (2026-11-01, today, yesterday), the last 7 of them (7d), or a time \
            (2026-11-01T08:00:00+08:00).
            """, valueName: "when"))
    var from: String?

    @Option(help: ArgumentHelp("Up to the end of this business day, or up to this time.", valueName: "when"))
    var to: String?

    @Option(help: ArgumentHelp("One business day.", valueName: "day"))
    var day: String?

    @Option(help: ArgumentHelp("Paid this way: alipay, wechat …; may be repeated.", valueName: "name"))
    var channel: [String] = []

    @Option(help: ArgumentHelp("In this currency, a code of ISO 4217; may be repeated.", valueName: "code"))
    var currency: [String] = []

    @Option(help: ArgumentHelp("payment, refund or another kind; may be repeated.", valueName: "name"))
    var kind: [String] = []

    @Option(
        help: ArgumentHelp(
            "received, announced, expired or cancelled; may be repeated.", valueName: "name"))
    var state: [String] = []

    @Option(help: ArgumentHelp("Of exactly this amount; 12.5 is 12.50.", valueName: "amount"))
    var amount: String?

    @Option(
        help: ArgumentHelp(
            "Whose id ends with these characters, at most 64, upper and lower case as written.", valueName: "end"))
    var idEnds: String?

    @Option(help: ArgumentHelp("table, csv or json.", valueName: "format"))
    var format = OutputFormat.table

    @Flag(help: "As --format json.")
    var json = false

    @OptionGroup var control: ControlOptions

    var chosenFormat: OutputFormat { json ? .json : format }

    /// The parameters for the control socket.
    var parameters: [(name: String, value: String)] {
        [("from", from), ("to", to), ("day", day), ("amount", amount), ("id_ends", idEnds)]
            .compactMap { name, value in value.map { (name, $0) } }
            + [("channel", channel), ("currency", currency), ("kind", kind), ("state", state)]
            .flatMap { name, values in values.map { (name, $0) } }
    }

    func validate() throws {
        do throws(ControlRefusal) { _ = try HistoryQuery(parameters) } catch {
            // Convert the parameter's name of the control socket to the option's name.
            let name = error.reason.prefix { $0 != ":" }
            let option = String(name.map { $0 == "_" ? "-" : $0 })
            throw ValidationError("--\(option)\(error.reason[name.endIndex...]).")
        }
    }
}

/// Reads the history in pieces, which are little work for the box.
struct HistoryPages {
    typealias Parameters = [(name: String, value: String)]

    static let foreignAnswer = ControlError(reason: "the box's answer is not understood; is it of another version?")

    /// The parameters; after the first answer with its range, so that a day that ends meanwhile does not change it.
    private var parameters: Parameters
    private var before: Int?
    private var isAtEnd = false
    private var examined = 0
    private var unreadable: UnreadableRows?
    /// From the first answer: RFC 3339; `nil` for no bound.
    private(set) var from: String?
    private(set) var to: String?

    init(parameters: Parameters) { self.parameters = parameters }

    /// The same range from its newest entry, for another query.
    var again: HistoryPages { HistoryPages(parameters: parameters) }

    /// - Parameter limit: the most entries to read; `nil` for as many as the box returns.
    /// - Returns: `nil` at the end.
    mutating func next(
        limit: Int?, _ ask: (Parameters) async throws(ControlError) -> JSONValue
    ) async throws(ControlError) -> JSONValue? {
        guard !isAtEnd else { return nil }
        var question = parameters
        if let before { question.append(("before", "\(before)")) }
        if let limit { question.append(("limit", "\(limit)")) }
        let answer = try await ask(question)
        guard let next = answer["next"], let count = answer["examined"]?.integer else { throw Self.foreignAnswer }
        if before == nil {
            (from, to) = (answer["from"]?.string, answer["to"]?.string)
            let range = [("from", from), ("to", to)].compactMap { name, value in value.map { (name, $0) } }
            parameters = parameters.filter { !["from", "to", "day"].contains($0.name) } + range
        }
        before = next.integer
        isAtEnd = before == nil
        examined += count
        if let rows = answer["unreadable"], let count = rows["count"]?.integer, let first = rows["first"]?.integer {
            let found = UnreadableRows(count: count, first: Int64(first))
            unreadable = unreadable.map { $0 + found } ?? found
        }
        if !isAtEnd { showProgress("\(examined) rows read") }
        return answer
    }

    /// - Throws: ``ExitCode/failure`` after an error line, if the output is incomplete.
    func tellOfUnreadableRows() throws(ExitCode) {
        guard let unreadable else { return }
        printError(
            "\(unreadable.count) rows of the history cannot be read and are not listed; the first is row "
                + "\(unreadable.first)")
        throw .failure
    }
}

/// Removes what ``showProgress(_:)`` has written.
func endProgress() { showProgress("") }
