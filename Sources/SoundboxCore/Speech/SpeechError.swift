/// Why something cannot be said exactly. The announcer then says that a payment came, without the amount.
public enum SpeechError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The number rules do not cover the number.
    case noRule(String)
    /// The voice has no unit word for this currency.
    case noUnit(Currency)
    /// No recording covers the text from here on.
    case missingPhrase(String)

    public var description: String {
        switch self {
        case .noRule(let reason): "the number rules cannot read it: \(reason)"
        case .noUnit(let currency): "the voice has no unit word for \(currency)"
        case .missingPhrase(let text): "no recording covers \"\(text)\""
        }
    }
}
