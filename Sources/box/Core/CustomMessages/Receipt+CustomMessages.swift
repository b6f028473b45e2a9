/// The receipts of custom messages and of cancels.
extension Receipt {
    /// The receipt of a custom message that has ended.
    public static func ended(_ id: CommandID, as end: CustomMessageEnd, at now: Timestamp) -> Receipt {
        switch end {
        case .answered: Receipt(.command(id), state: .answered, at: now)
        case .missed: Receipt(.command(id), state: .missed, at: now)
        case .spoken(let audibility): Receipt(.command(id), state: .spoken, at: now, audibility: audibility)
        case .failed(let reason): Receipt(.command(id), state: .failed, at: now, reason: reason)
        case .expired: Receipt(.command(id), state: .expired, at: now)
        }
    }

    /// The receipt of the cancelled payment or custom message. For a payment that waited it gives no reason.
    public static func cancelled(_ target: CancelTarget, _ moment: CancelMoment, at now: Timestamp) -> Receipt {
        switch target {
        case .payment(let id):
            Receipt(
                id: id, state: .cancelled, at: now, reason: moment == .whileItWaited ? nil : moment.rawValue)
        case .customMessage(let id): Receipt(.command(id), state: .cancelled, at: now, reason: moment.rawValue)
        }
    }
}
