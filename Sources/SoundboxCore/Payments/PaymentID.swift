/// The provider's transaction id: the only key by which a payment is known.
public struct PaymentID: Sendable, Hashable, CustomStringConvertible {
    /// 1–128 bytes of UTF-8 without control characters.
    public let text: String

    public static let maximumBytes = 128

    public init(_ text: String) throws(PaymentIDError) {
        guard !text.isEmpty else { throw .empty }
        guard text.utf8.count <= Self.maximumBytes else { throw .tooLong(bytes: text.utf8.count) }
        // A line break inside an id would break the one-line-per-event log that support reads.
        guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw .controlCharacter
        }
        self.text = text
    }

    public var description: String { text }

    // Byte by byte, as the database compares: Swift calls "é" and "e" with an accent the same text, and a payment
    // whose id only looks like another's must still be spoken.
    public static func == (left: PaymentID, right: PaymentID) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

public enum PaymentIDError: Error, Sendable, Equatable, CustomStringConvertible {
    case empty
    case tooLong(bytes: Int)
    case controlCharacter

    public var description: String {
        switch self {
        case .empty: "must not be empty"
        case .tooLong(let bytes): "\(bytes) bytes long, at most \(PaymentID.maximumBytes) are allowed"
        case .controlCharacter: "must not contain control characters"
        }
    }
}
