/// Reads the payment notices of any provider, in the box's own format or by a mapping.
///
///     let reader = NoticeReader.native(PaymentNoticeDecoder(defaultCurrency: .CNY))
///     if case .notice(let notice, _) = try reader.read(payload) { print(notice.money) }
public enum NoticeReader: Sendable {
    case native(PaymentNoticeDecoder)
    case mapped(MappedNoticeDecoder)

    /// The same reader, which accepts these kinds besides payments and refunds.
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

    /// The kinds that it accepts besides payments and refunds.
    public var kinds: Set<KindName> {
        switch self {
        case .native(let decoder): decoder.kinds
        case .mapped(let decoder): decoder.kinds
        }
    }

    /// - Returns: at least one; several where the mapping has ``PaymentMapping/each``.
    /// - Throws: why nothing of the message can be read.
    public func read(_ payload: [UInt8]) throws(NoticeRejection) -> [DecodedNotice] {
        switch self {
        case .native(let decoder): [try decoder.decode(payload)]
        case .mapped(let decoder): try decoder.decodeAll(payload)
        }
    }
}

/// The result of reading a message.
public enum DecodedNotice: Sendable, Equatable {
    case notice(PaymentNotice, unread: UnreadFields = UnreadFields())
    /// Not meant for the box: another kind of event on the same topic. `reason` names the field.
    case ignored(reason: String)
    /// Ignored since a field is missing. A provider who renames it would be silenced by that.
    case ignoredByAbsence(reason: String)
    /// Of several in one message this one cannot be read.
    case refused(NoticeRejection)
}

/// Fields of a notice that could not be read and are treated as missing, so that the payment is not lost.
public struct UnreadFields: Sendable, Equatable {
    /// When the customer paid. A signed notice is refused because of it.
    public var paidAt: NoticeRejection?
    /// All others.
    public var others: [NoticeRejection]

    public init(paidAt: NoticeRejection? = nil, others: [NoticeRejection] = []) {
        self.paidAt = paidAt
        self.others = others
    }

    /// For the receipt; `nil` when everything was read.
    public var remark: String? {
        let problems = [paidAt].compactMap(\.self) + others
        return problems.isEmpty ? nil : problems.map(\.description).joined(separator: "; ")
    }
}
