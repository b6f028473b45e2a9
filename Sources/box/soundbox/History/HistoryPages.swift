import ArgumentParser
import SoundboxCommandLine
import SoundboxControl
import SoundboxCore

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
