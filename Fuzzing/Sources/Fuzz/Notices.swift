import SoundboxBox
import SoundboxCore

extension FuzzTarget {
    /// Payment notices in the box's own format.
    static let notice = FuzzTarget(name: "notice") { payload in
        read(payload, by: .native(PaymentNoticeDecoder(defaultCurrency: .CNY)))
        // What a signature is looked for in has not been decoded by then.
        _ = try? SignedPayload(payload)
    }

    /// Payment notices in a format that a mapping describes, and the mapping: both are in the input, parted by a NUL.
    static let mapping = FuzzTarget(name: "mapping") { input in
        let parts = input.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let text = String(validating: parts[0], as: UTF8.self),
            let mapping = try? PaymentMapping(parsing: text, file: "mapping.yaml")
        else { return }
        read(Array(parts[1]), by: .mapped(MappedNoticeDecoder(mapping: mapping, defaultCurrency: .CNY)))
    }

    /// Reads a notice and holds what comes out against what every part behind the decoder relies on.
    private static func read(_ payload: [UInt8], by reader: NoticeReader) {
        let now = Timestamp(millisecondsSince1970: 0)
        do throws(NoticeRejection) {
            guard case .notice(let notice, _) = try reader.read(payload) else { return }
            precondition((1...128).contains(notice.id.text.utf8.count))
            precondition(!notice.money.amount.isZero)
            // The inbox keeps text, and reads it back.
            let stored = try? Money(notice.money.amount.description, notice.money.currency)
            precondition(stored == notice.money)
            precondition((try? PaymentID(notice.id.text))?.of(notice.kind) == notice.id)
            if let time = notice.paidAt { precondition(Timestamp(rfc3339: time.description) != nil) }
            checkIsJSON(Receipt(id: notice.id, state: .stored, at: now))
        } catch {
            checkIsJSON(Receipt(id: error.id, state: .rejected, at: now, reason: error.description))
        }
    }

    /// Whatever a sender wrote, the receipt that quotes it is JSON of one line.
    private static func checkIsJSON(_ receipt: Receipt) {
        let bytes = receipt.json(sequence: 1, epoch: nil).bytes
        precondition((try? JSONValue(parsing: bytes)) != nil)
        precondition(!bytes.contains(UInt8(ascii: "\n")))
    }
}
