import SoundboxControl
import SoundboxCore

/// Reads the history in pieces, which are little work for the box, and always for the range of the first answer.
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

    /// - Returns: the next answer; a status other than 200 is the last one. `nil` at the end.
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
        // `next` must decrease, so that the loop ends.
        guard next ?? 0 < before ?? .max else { throw Self.foreignAnswer }
        before = next
        isAtEnd = next == nil
        return answer
    }
}

/// The rest of an export, produced as the client reads it: only one piece is in memory.
actor HistoryExport {
    private var reader: HistoryReader

    init(_ reader: HistoryReader) { self.reader = reader }

    /// - Returns: more CSV records; `nil` at the end.
    func next() async throws(ControlError) -> [UInt8]? {
        while true {
            var reader = reader
            guard let answer = try await reader.next() else { return nil }
            self.reader = reader
            let records = try Self.records(answer)
            // Empty if no row of the piece matches the query.
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
