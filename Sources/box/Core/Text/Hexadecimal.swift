extension Sequence<UInt8> {
    /// Two digits for each byte, in lower case.
    public var hexadecimal: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}

extension [UInt8] {
    /// `nil` unless every two bytes are two hexadecimal digits.
    package init?(hexadecimal text: some Collection<UInt8>) {
        guard text.count.isMultiple(of: 2) else { return nil }
        self = []
        var iterator = text.makeIterator()
        while let high = iterator.next(), let low = iterator.next() {
            guard let high = high.hexadecimalDigit, let low = low.hexadecimalDigit else { return nil }
            append(high << 4 | low)
        }
    }
}

extension UInt8 {
    /// `nil` unless this is the code of a hexadecimal digit in ASCII.
    package var hexadecimalDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
