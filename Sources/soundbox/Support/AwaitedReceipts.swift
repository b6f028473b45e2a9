import SoundboxCore

/// Which of the messages sent have not been answered for good.
struct AwaitedReceipts {
    /// Ids of the messages; `nil` stands for one whose id cannot be read.
    private var ids: [String?]

    init(of payloads: [[UInt8]]) {
        ids = payloads.map { (try? JSONValue(parsing: $0))?["id"]?.string }
    }

    var isComplete: Bool { ids.isEmpty }

    /// Notes a receipt.
    /// - Returns: the receipt; `nil` when it is not about one of the messages.
    mutating func take(_ payload: [UInt8]) -> JSONValue? {
        guard let receipt = try? JSONValue(parsing: payload), let index = ids.firstIndex(of: receipt["id"]?.string)
        else {
            return nil
        }
        // `stored` is followed by another one, every other state is the last word.
        if receipt["state"]?.string != Receipt.State.stored.rawValue { ids.remove(at: index) }
        return receipt
    }
}
