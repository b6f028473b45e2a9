/// What becomes of an amount with more decimals than its currency has, such as 12.345 CNY. Nothing is ever rounded.
public enum ExcessDecimals: String, Sendable, CaseIterable {
    /// Spoken digit by digit, exactly as it came.
    case speak
    /// Refused: at this provider it is a mistake.
    case reject
}
