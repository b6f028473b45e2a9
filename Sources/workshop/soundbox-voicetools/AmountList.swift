import SoundboxCore
import SoundboxSystem

/// Amounts in a file, one per line.
enum AmountList {
    /// - Parameter path: the file; `-` for standard input.
    /// - Throws: ``FileError`` that names the line that is not an amount, or the file without amounts.
    static func read(_ path: String) throws(FileError) -> [String] {
        let isInput = path == "-"
        let name = isInput ? "standard input" : path
        let text = try SmallFile.read(isInput ? "/dev/stdin" : path)
        var amounts: [String] = []
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let amount = line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            guard !amount.isEmpty, amount.first != "#" else { continue }
            do throws(DecimalError) { _ = try DecimalNumber(amount) } catch {
                throw FileError(path: "\(name):\(number + 1)", problem: "\"\(amount)\": \(error)")
            }
            amounts.append(amount)
        }
        guard !amounts.isEmpty else {
            throw FileError(path: name, problem: "holds no amount; expected one per line, such as 123.45")
        }
        return amounts
    }
}
