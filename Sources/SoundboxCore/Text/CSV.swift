/// Comma-separated values (RFC 4180).
public enum CSV {
    /// One record with its end of line, CR LF.
    public static func record(_ fields: [String]) -> String { fields.map(field).joined(separator: ",") + "\r\n" }

    private static func field(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { ["\"", ",", "\r", "\n"].contains($0) }) else { return text }
        let quoted = text.unicodeScalars.reduce(into: "") { result, scalar in
            if scalar == "\"" { result.unicodeScalars.append("\"") }
            result.unicodeScalars.append(scalar)
        }
        return "\"\(quoted)\""
    }

    /// A text from outside, with a `'` before it where a spreadsheet would take it for a formula and carry it out
    /// (CWE-1236).
    public static func harmless(_ text: String) -> String {
        // Some leave out blanks and what has no width before they look.
        switch text.unicodeScalars.first(where: { $0 != " " && $0.properties.generalCategory != .format }) {
        case "=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠": "'\(text)"
        default: text
        }
    }
}
