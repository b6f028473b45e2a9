/// Comma-separated values (RFC 4180).
///
///     CSV.record(["T1", CSV.harmless(channel), "12.50"])
public enum CSV {
    /// One record with its line end, CR LF.
    public static func record(_ fields: [String]) -> String { fields.map(field).joined(separator: ",") + "\r\n" }

    private static func field(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { ["\"", ",", "\r", "\n"].contains($0) }) else { return text }
        let quoted = text.unicodeScalars.reduce(into: "") { result, scalar in
            if scalar == "\"" { result.unicodeScalars.append("\"") }
            result.unicodeScalars.append(scalar)
        }
        return "\"\(quoted)\""
    }

    /// A text from outside, with a `'` before it if a spreadsheet would evaluate it as a formula (CWE-1236).
    public static func harmless(_ text: String) -> String {
        // Some spreadsheets skip spaces and invisible characters first.
        switch text.unicodeScalars.first(where: { $0 != " " && $0.properties.generalCategory != .format }) {
        case "=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠": "'\(text)"
        default: text
        }
    }
}
