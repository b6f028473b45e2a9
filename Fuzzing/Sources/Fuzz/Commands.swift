import SoundboxBox
import SoundboxCore

extension FuzzTarget {
    /// Messages of the commands topic, as the box reads them.
    static let command = FuzzTarget(name: "command") { payload in
        // What a signature is looked for in has not been decoded by then.
        _ = try? SignedPayload(payload)
        do throws(CommandError) {
            let message = try CommandMessage(decoding: payload)
            if case .customMessage(let customMessage) = message.command { checkRoundTrip(of: customMessage) }
        } catch {
            precondition((1...128).contains(error.id?.text.utf8.count ?? 1))
            // Every complaint names its field, and becomes one line of a receipt.
            let field = error.reason.prefix { !":[.".contains($0) }
            precondition(fields.contains(String(field)))
            let receipt = Receipt(
                .command(error.id), state: .rejected, at: Timestamp(millisecondsSince1970: 0), reason: error.reason)
            let bytes = receipt.json(sequence: 1, epoch: nil).bytes
            precondition((try? JSONValue(parsing: bytes)) != nil)
            precondition(!bytes.contains(UInt8(ascii: "\n")))
        }
    }

    private static let fields: Set<String> = [
        "payload", "id", "at", "type", "volume", "payment_id", "command_id", "timeout", "text", "segments", "clip",
        "kind", "number",
    ]

    /// What the disk keeps is what the wire said.
    private static func checkRoundTrip(of customMessage: CustomMessage) {
        guard let json = try? JSONValue(parsing: customMessage.json.bytes),
            let read = try? CustomMessage(decoding: json)
        else {
            preconditionFailure("a custom message that was taken cannot be read again")
        }
        precondition(read == customMessage && read.json == customMessage.json)
    }
}
