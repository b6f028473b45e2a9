/// The sender's id for one command, which acts once.
public struct CommandID: Sendable, Hashable, CustomStringConvertible {
    /// How many ids an inbox remembers. A command is stale after a minute, and no provider sends a box 4,096 in that
    /// time.
    public static let limit = 4096

    // It has the same rules, and the same comparison byte by byte.
    private let id: PaymentID

    /// 1–128 bytes of UTF-8 without control characters.
    public init(_ text: String) throws(PaymentIDError) { id = try PaymentID(text) }

    public var text: String { id.text }
    public var description: String { text }
}
