import SoundboxCore

/// Why something cannot be said exactly. The announcer then says that a payment came, without the amount.
public enum SpeechError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The number rules do not cover the number.
    case noRule(String)
    /// The voice has no unit word for this currency.
    case noUnit(Currency)
    /// No recording covers the text from this place on.
    case missingPhrase(String)
    /// The voice has no words for this kind.
    case noKind(KindName)
    /// The words of this kind have a placeholder for a number, and none was given.
    case noNumber(KindName)

    public var description: String {
        switch self {
        case .noRule(let reason): "the number rules cannot read it: \(reason)"
        case .noUnit(let currency): "the voice has no unit word for \(currency)"
        case .missingPhrase(let text): "no recording covers \"\(text)\""
        case .noKind(let kind): "the voice has no kind \(kind)"
        case .noNumber(let kind): "the kind \(kind) needs a number"
        }
    }
}
