/// Six digits that the box speaks, so that only somebody at the counter can sign a phone in.
public struct SignInCode: Sendable, Equatable {
    public static let length = 6

    /// 0 to 9 each.
    public let digits: [Int]

    /// From the system's random number generator; all codes are equally likely.
    public init() { digits = (0..<Self.length).map { _ in Int.random(in: 0...9) } }

    /// - Returns: `nil` for anything but six ASCII digits.
    public init?(_ text: String) {
        guard text.utf8.count == Self.length, text.utf8.allSatisfy(\.isDigit) else { return nil }
        digits = text.utf8.map { Int($0 - UInt8(ascii: "0")) }
    }

    public var text: String { digits.map(String.init).joined() }
}
