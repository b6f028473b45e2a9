import SoundboxCore

/// Which of the messages sent have not been answered for good.
struct AwaitedReceipts {
    /// Ids of the messages; `nil` stands for one whose id cannot be read.
    private var ids: [PaymentID?]

    /// - Parameter reader: as the box's.
    init(of payloads: [[UInt8]], _ reader: NoticeReader) {
        ids = payloads.map { payload -> PaymentID? in
            do throws(NoticeRejection) {
                guard case .notice(let notice, _) = try reader.read(payload) else { return nil }
                return notice.id
            } catch { return error.id }
        }
    }

    var isComplete: Bool { ids.isEmpty }

    /// Notes a receipt.
    /// - Returns: the receipt; `nil` when it is not about one of the messages.
    mutating func take(_ payload: [UInt8]) -> JSONValue? {
        guard let receipt = try? JSONValue(parsing: payload),
            let index = ids.firstIndex(of: PaymentID(receipt: receipt))
        else {
            return nil
        }
        // `stored` is followed by another one, every other state is the last word.
        if receipt["state"]?.string != Receipt.State.stored.rawValue { ids.remove(at: index) }
        return receipt
    }
}
