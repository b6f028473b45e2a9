import CQRCode

/// A QR code for a terminal: two modules in each character, light on dark and dark on light alike readable by a phone.
public enum QRCode {
    /// - Returns: lines of a terminal; `nil` for a text that is too long.
    public static func lines(of text: String) -> [String]? {
        // The smallest that there is, case kept.
        guard let code = QRcode_encodeString(text, 0, QR_ECLEVEL_M, QR_MODE_8, 1) else { return nil }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        // The lowest bit is the colour; the others say what a module is for.
        return lines(width) { code.pointee.data[$1 * width + $0] & 1 == 1 }
    }

    /// With the rim of four light modules that a reader needs (ISO/IEC 18004).
    static func lines(_ width: Int, isDark: (_ column: Int, _ row: Int) -> Bool) -> [String] {
        func dark(_ column: Int, _ row: Int) -> Bool {
            (0..<width).contains(column) && (0..<width).contains(row) && isDark(column, row)
        }
        return stride(from: -4, to: width + 4, by: 2).map { row in
            // What is printed is what is light: terminals are dark more often than not.
            (-4..<width + 4).map { column in
                switch (dark(column, row), dark(column, row + 1)) {
                case (true, true): " "
                case (true, false): "▄"
                case (false, true): "▀"
                case (false, false): "█"
                }
            }
            .joined()
        }
    }
}
