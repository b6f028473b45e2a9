import SoundboxCore

/// The sent messages without a final receipt.
struct AwaitedReceipts {
    /// The ids of the messages; `nil` for an unreadable id.
    private var ids: [PaymentID?]

    /// - Parameter reader: the same as the box's.
    init(of payloads: [[UInt8]], _ reader: NoticeReader) {
        ids = payloads.flatMap { payload -> [PaymentID?] in
            do throws(NoticeRejection) {
                return try reader.read(payload).map { read in
                    switch read {
                    case .notice(let notice, _): notice.id
                    case .refused(let rejection): rejection.id
                    case .ignored, .ignoredByAbsence: nil
                    }
                }
            } catch { return [error.id] }
        }
    }

    var isComplete: Bool { ids.isEmpty }

    /// Records a receipt.
    /// - Returns: the receipt; `nil` if it is not about one of the messages.
    mutating func take(_ payload: [UInt8]) -> JSONValue? {
        guard let receipt = try? JSONValue(parsing: payload),
            let index = ids.firstIndex(of: PaymentID(receipt: receipt))
        else {
            return nil
        }
        // Another receipt follows `stored`; every other state is final.
        if receipt["state"]?.string != Receipt.State.stored.rawValue { ids.remove(at: index) }
        return receipt
    }
}
