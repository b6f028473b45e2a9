/// HTML and SVG text. Foreign text must pass ``text(_:)`` or ``attribute(_:_:)``.
enum Markup {
    /// Escapes the special characters of HTML, and replaces invisible ones by U+FFFD: direction marks would show words
    /// in another order.
    static func text(_ text: some StringProtocol) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default:
                let isShown = scalar == "\n" || !Self.isUnseen(scalar)
                escaped += isShown ? String(scalar) : "&#xFFFD;"
            }
        }
        return escaped
    }

    /// ` name="value"`, with a leading blank.
    static func attribute(_ name: String, _ value: some StringProtocol) -> String { " \(name)=\"\(text(value))\"" }

    /// Control characters and direction marks. Joiners belong to Indian scripts and stay.
    private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: scalar != "\u{200C}" && scalar != "\u{200D}"
        default: false
        }
    }

    /// A number with `digits` decimals.
    static func number(_ value: Double, _ digits: Int) -> String {
        guard value.isFinite else { return value < 0 ? "−∞" : "∞" }
        let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
        let rounded = Int((value * Double(scale)).rounded())
        let sign = rounded < 0 ? "-" : ""
        let (whole, part) = (abs(rounded) / scale, abs(rounded) % scale)
        guard digits > 0 else { return "\(sign)\(whole)" }
        let tail = String(part)
        return "\(sign)\(whole).\(String(repeating: "0", count: digits - tail.count))\(tail)"
    }

    /// Base64 of RFC 4648.
    static func base64(_ bytes: some Collection<UInt8>) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var output: [UInt8] = []
        output.reserveCapacity((bytes.count + 2) / 3 * 4)
        var group: UInt32 = 0
        var count = 0
        for byte in bytes {
            group = group << 8 | UInt32(byte)
            count += 1
            if count % 3 == 0 {
                for shift in [18, 12, 6, 0] { output.append(letters[Int(group >> UInt32(shift)) & 63]) }
                group = 0
            }
        }
        let rest = count % 3
        if rest > 0 {
            group <<= UInt32(8 * (3 - rest))
            for shift in [18, 12, 6].prefix(rest + 1) { output.append(letters[Int(group >> UInt32(shift)) & 63]) }
            output += [UInt8](repeating: UInt8(ascii: "="), count: 3 - rest)
        }
        return String(decoding: output, as: UTF8.self)
    }
}
