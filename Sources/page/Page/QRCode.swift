import CQRCode

/// A QR code for a terminal, with two modules in each character. Phones read it light on dark and dark on light.
///
///     for line in QRCode.lines(of: "http://192.168.1.7/") ?? [] { print(line) }
public enum QRCode {
    /// - Returns: the lines; `nil` if the text is too long.
    public static func lines(of text: String) -> [String]? {
        // 0: the smallest version; 1: case-sensitive.
        guard let code = QRcode_encodeString(text, 0, QR_ECLEVEL_M, QR_MODE_8, 1) else { return nil }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        // The lowest bit is the colour; the others are the purpose of the module.
        return lines(width) { code.pointee.data[$1 * width + $0] & 1 == 1 }
    }

    /// Adds the quiet zone of four light modules (ISO/IEC 18004).
    static func lines(_ width: Int, isDark: (_ column: Int, _ row: Int) -> Bool) -> [String] {
        func dark(_ column: Int, _ row: Int) -> Bool {
            (0..<width).contains(column) && (0..<width).contains(row) && isDark(column, row)
        }
        return stride(from: -4, to: width + 4, by: 2).map { row in
            // Print the light modules: most terminals are dark.
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
