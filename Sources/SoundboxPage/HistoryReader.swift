import SoundboxControl
import SoundboxCore

/// Asks for the history piece by piece, each of them a little work for the box, and always for the range that the first
/// answer meant.
struct HistoryReader {
    static let foreignAnswer = ControlError(reason: "the box's answer is not understood; is it of another version?")

    private let path: String
    private var query: [(name: String, value: String)]
    private let box: BoxLink
    private var before: Int?
    private var isAtEnd = false

    init(_ path: String, _ query: [(name: String, value: String)], _ box: BoxLink) {
        self.path = path
        self.query = query.filter { $0.name != "before" && $0.name != "limit" }
        self.box = box
    }

    /// - Returns: the next answer, of which one other than 200 is the last; `nil` when all has been told.
    mutating func next() async throws(ControlError) -> BoxLink.Answer? {
        guard !isAtEnd else { return nil }
        let answer = try await box.exchange("GET", path, query + (before.map { [("before", "\($0)")] } ?? []))
        guard answer.status == 200 else {
            isAtEnd = true
            return answer
        }
        if before == nil {
            let range = ["from", "to"].compactMap { name in answer.json[name]?.string.map { (name, $0) } }
            query = query.filter { !["from", "to", "day"].contains($0.name) } + range
        }
        let next = answer.json["next"]?.integer
        // It ends, whatever the box says.
        guard next ?? 0 < before ?? .max else { throw Self.foreignAnswer }
        before = next
        isAtEnd = next == nil
        return answer
    }
}

/// What follows of an export, as its reader takes it: of a history of any length one piece is in memory.
actor HistoryExport {
    private var reader: HistoryReader

    init(_ reader: HistoryReader) { self.reader = reader }

    /// - Returns: further records of CSV; `nil` at the end.
    func next() async throws(ControlError) -> [UInt8]? {
        while true {
            var reader = reader
            guard let answer = try await reader.next() else { return nil }
            self.reader = reader
            let records = try Self.records(answer)
            // Where none of the rows that were looked at is asked for.
            if !records.isEmpty { return records }
        }
    }

    static func records(_ answer: BoxLink.Answer) throws(ControlError) -> [UInt8] {
        guard answer.status == 200, let entries = answer.json["entries"]?.elements else {
            throw HistoryReader.foreignAnswer
        }
        return entries.flatMap { entry in CSV.record(HistoryEntry.columns.map { entry.csvField($0) }).utf8 }
    }
}
