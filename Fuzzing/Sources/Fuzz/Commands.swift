import SoundboxCore

extension FuzzTarget {
    /// Messages of the commands topic, as the box reads them.
    static let command = FuzzTarget(name: "command") { payload in
        // What a signature is looked for in has not been decoded by then.
        _ = try? SignedPayload(payload)
        do throws(CommandError) { _ = try CommandMessage(decoding: payload) } catch {
            precondition((1...128).contains(error.id?.text.utf8.count ?? 1))
            // Every complaint names its field, and becomes one line of a receipt.
            precondition(
                ["payload", "id", "at", "type", "volume", "payment_id"].contains { error.reason.hasPrefix("\($0): ") })
            let receipt = Receipt(
                .command(error.id), state: .rejected, at: Timestamp(millisecondsSince1970: 0), reason: error.reason)
            let bytes = receipt.json(sequence: 1).bytes
            precondition((try? JSONValue(parsing: bytes)) != nil)
            precondition(!bytes.contains(UInt8(ascii: "\n")))
        }
    }
}
