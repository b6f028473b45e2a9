/// The provider's transaction id, which identifies a notice. A refund often has its payment's id and is distinguished
/// from it; notices of all other kinds share their ids.
public struct PaymentID: Sendable, Hashable, CustomStringConvertible {
    /// 1–128 bytes of UTF-8 without control characters.
    public let text: String
    /// Whether it identifies a refund.
    public private(set) var isRefund = false

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

    /// The same id for a notice of this kind.
    public func of(_ kind: PaymentNotice.Kind) -> PaymentID {
        var id = self
        id.isRefund = kind == .refund
        return id
    }

    // Byte by byte, as the database compares: Swift considers "é" and "e" with an accent equal, and a payment whose id
    // only looks like another's must still be spoken.
    public static func == (left: PaymentID, right: PaymentID) -> Bool {
        left.isRefund == right.isRefund && left.text.utf8.elementsEqual(right.text.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(isRefund)
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
