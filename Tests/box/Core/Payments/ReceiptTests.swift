import SoundboxCore
import Testing

@Suite("Receipts")
struct ReceiptTests {
    @Test("A receipt is JSON with id, state, time and sequence")
    func stored() throws {
        let receipt = Receipt(id: try PaymentID("T\"1"), state: .stored, at: Timestamp(millisecondsSince1970: 0))
        #expect(
            receipt.json(sequence: 7, epoch: nil).text
                == #"{"id":"T\"1","state":"stored","at":"1970-01-01T00:00:00.000Z","sequence":7}"#)
    }

    @Test("It names its epoch, and how a payment was announced")
    func announced() throws {
        let receipt = Receipt(
            id: try PaymentID("T1"), state: .announced, at: Timestamp(millisecondsSince1970: 0), audibility: .atVolume0)
        #expect(
            receipt.json(sequence: 7, epoch: "00ff").text
                == #"{"id":"T1","state":"announced","at":"1970-01-01T00:00:00.000Z","sequence":7,"epoch":"00ff","#
                + #""how":"volume_0"}"#)
    }

    @Test(
        "A receipt of a refund says so, whatever its state",
        arguments: [Receipt.State.stored, .duplicate, .announced, .expired, .cancelled, .rejected])
    func refund(state: Receipt.State) throws {
        let id = try PaymentID("T1").of(.refund)
        let json = Receipt(id: id, state: state, at: Timestamp(millisecondsSince1970: 0)).json(sequence: 7, epoch: nil)
        #expect(
            json.text == #"{"id":"T1","kind":"refund","state":"\#(state.rawValue)","at":"1970-01-01T00:00:00.000Z","#
                + #""sequence":7}"#)
        #expect(PaymentID(receipt: json) == id)
    }

    @Test("Epochs are 16 hexadecimal digits, each another")
    func epochs() {
        let epochs = (1...1000).map { _ in ReceiptEpoch.new() }
        #expect(Set(epochs).count == 1000)
        #expect(epochs.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{16}/) != nil })
    }

    @Test("The manners are those that the providers know")
    func audibilities() {
        #expect(Audibility.allCases.map(\.rawValue) == ["aloud", "muted", "volume_0", "without_amount"])
    }

    @Test("A rejection without a readable id has a null id and its reason")
    func rejected() {
        let receipt = Receipt(
            id: nil, state: .rejected, at: Timestamp(millisecondsSince1970: 1), reason: "amount: must not be negative")
        #expect(
            receipt.json(sequence: 1, epoch: nil).text
                == #"{"id":null,"state":"rejected","at":"1970-01-01T00:00:00.001Z","sequence":1,"#
                + #""reason":"amount: must not be negative"}"#)
    }

    @Test("A receipt about a command has a null id, so that none is taken for a payment's")
    func command() throws {
        let named = Receipt(
            .command(try CommandID("A-1")), state: .failed, at: Timestamp(millisecondsSince1970: 1), reason: "at: x")
        #expect(
            named.json(sequence: 1, epoch: nil).text
                == #"{"id":null,"command":"A-1","state":"failed","at":"1970-01-01T00:00:00.001Z","sequence":1,"#
                + #""reason":"at: x"}"#)
        let unnamed = Receipt(.command(nil), state: .missed, at: Timestamp(millisecondsSince1970: 1))
        #expect(unnamed.json(sequence: 2, epoch: nil).text.hasPrefix(#"{"id":null,"command":null,"state":"missed""#))
    }

    @Test("A reply names its command and no payment, and has a result where a receipt has a state")
    func reply() throws {
        let named = Receipt(
            .command(try CommandID("c-1")), state: .refused, at: Timestamp(millisecondsSince1970: 1), reason: "at: x")
        let outgoing = OutgoingReceipt(named, sequence: 1, epoch: nil)
        #expect(outgoing.topic == .replies)
        #expect(
            String(decoding: outgoing.payload, as: UTF8.self)
                == #"{"command":"c-1","result":"refused","at":"1970-01-01T00:00:00.001Z","sequence":1,"#
                + #""reason":"at: x"}"#)
        let unnamed = Receipt(.command(nil), state: .ok, at: Timestamp(millisecondsSince1970: 1))
        #expect(unnamed.json(sequence: 2, epoch: nil).text.hasPrefix(#"{"command":null,"result":"ok""#))
    }

    @Test("The states are those that the providers know")
    func states() {
        let states = Receipt.State.allCases.map(\.rawValue)
        #expect(
            Set(states) == [
                "stored", "duplicate", "announced", "expired", "cancelled", "rejected", "answered", "missed", "spoken",
                "failed", "ok", "refused", "unknown",
            ])
    }
}
