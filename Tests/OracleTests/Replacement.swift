import CICU

/// A regular expression of ICU and what its matches are replaced by. Not for several threads at once.
final class Replacement {
    private let expression: OpaquePointer
    private let template: [UInt16]

    /// - Parameter template: `$1` stands for the first group.
    init(of pattern: String, with template: String) throws(ICUError) {
        self.template = Array(template.utf16)
        let pattern = Array(pattern.utf16)
        var code: Int32 = 0
        guard let expression = soundbox_icu_regex_open(pattern, Int32(pattern.count), &code) else {
            throw ICUError("not a regular expression", code)
        }
        self.expression = expression
    }

    deinit { soundbox_icu_regex_close(expression) }

    /// The text with every match replaced.
    func apply(to text: String) throws(ICUError) -> String {
        let text = Array(text.utf16)
        var code: Int32 = 0
        // Many times the longest number; what does not fit is an error and never cut off.
        var result = [UInt16](repeating: 0, count: 4096)
        let length = soundbox_icu_regex_replace(
            expression, text, Int32(text.count), template, Int32(template.count), &result, Int32(result.count), &code)
        guard code <= 0 else { throw ICUError("cannot replace in a text", code) }
        return String(decoding: result[..<Int(length)], as: UTF16.self)
    }
}
