/// The name of a kind of news other than payments and refunds: `deposit`, `queue_number`.
public struct KindName: Sendable, Hashable, CustomStringConvertible {
    public let text: String

    /// - Returns: `nil` unless it is 1–32 lower-case letters, digits and underscores that begin with a letter, and
    ///   neither `payment` nor `refund`.
    public init?(_ text: String) {
        guard (1...32).contains(text.utf8.count), let first = text.utf8.first, first.isSmallLetter,
            text.utf8.allSatisfy({ $0.isSmallLetter || (0x30...0x39).contains($0) || $0 == 0x5F }),
            text != "payment", text != "refund"
        else { return nil }
        self.text = text
    }

    public var description: String { text }
}

extension UInt8 {
    fileprivate var isSmallLetter: Bool { (0x61...0x7A).contains(self) }
}
