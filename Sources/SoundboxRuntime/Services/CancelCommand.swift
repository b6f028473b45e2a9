import SoundboxCore

/// `{"id":"c-1","type":"cancel","payment_id":"A-1"}`: do not speak a payment that still waits.
///
/// Apart from ``Command``, because it changes the inbox and so is acknowledged after its commit, like a payment.
struct CancelCommand: Sendable, Equatable {
    var paymentID: PaymentID

    /// `nil` when the message is another command, or none.
    init?(decoding payload: [UInt8]) throws(CommandError) {
        guard payload.count <= 4096, let json = try? JSONValue(parsing: payload), json["type"]?.string == "cancel"
        else { return nil }
        guard let text = json["payment_id"]?.string ?? json["id"]?.string else {
            throw CommandError(reason: "payment_id: expected the id of a payment")
        }
        do { paymentID = try PaymentID(text) } catch { throw CommandError(reason: "payment_id: \(error)") }
    }
}
