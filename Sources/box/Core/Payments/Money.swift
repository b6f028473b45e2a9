/// An exact amount of one currency, never negative.
public struct Money: Sendable, Hashable, CustomStringConvertible {
    public let amount: DecimalNumber
    public let currency: Currency

    public init(_ amount: DecimalNumber, _ currency: Currency) {
        self.amount = amount
        self.currency = currency
    }

    /// Reads plain decimal digits: `Money("123.45", .CNY)`.
    public init(_ text: some StringProtocol, _ currency: Currency) throws(DecimalError) {
        self.init(try DecimalNumber(text), currency)
    }

    public var description: String { "\(amount) \(currency)" }
}
