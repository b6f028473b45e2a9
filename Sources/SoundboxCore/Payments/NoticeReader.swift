/// Reads the payment notices of any provider, in the box's own format or by a mapping.
public enum NoticeReader: Sendable {
    case native(PaymentNoticeDecoder)
    case mapped(MappedNoticeDecoder)

    /// The same reader, which admits these kinds of news beside payments and refunds.
    public func admitting(_ kinds: Set<KindName>) -> NoticeReader {
        switch self {
        case .native(var decoder):
            decoder.kinds = kinds
            return .native(decoder)
        case .mapped(var decoder):
            decoder.kinds = kinds
            return .mapped(decoder)
        }
    }

    public func read(_ payload: [UInt8]) throws(NoticeRejection) -> DecodedNotice {
        switch self {
        case .native(let decoder): .notice(try decoder.decode(payload))
        case .mapped(let decoder): try decoder.decode(payload)
        }
    }
}

/// What a message turned out to be.
public enum DecodedNotice: Sendable, Equatable {
    case notice(PaymentNotice)
    /// Not meant for the box: another kind of event on the same topic. `reason` names the field.
    case ignored(reason: String)
}

/// What becomes of an amount with more decimals than its currency has, such as 12.345 CNY. Nothing is ever rounded.
public enum ExcessDecimals: String, Sendable, CaseIterable {
    /// Spoken digit by digit, exactly as it came.
    case speak
    /// Refused: at this provider it is a mistake.
    case reject
}
