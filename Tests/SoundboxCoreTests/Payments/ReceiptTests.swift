import SoundboxCore
import Testing

@Suite("Receipts")
struct ReceiptTests {
    @Test("A receipt is JSON with id, state, time and sequence")
    func stored() throws {
        let receipt = Receipt(id: try PaymentID("T\"1"), state: .stored, at: Timestamp(millisecondsSince1970: 0))
        #expect(
            receipt.json(sequence: 7).text
                == #"{"id":"T\"1","state":"stored","at":"1970-01-01T00:00:00.000Z","sequence":7}"#)
    }

    @Test("A rejection without a readable id has a null id and its reason")
    func rejected() {
        let receipt = Receipt(
            id: nil, state: .rejected, at: Timestamp(millisecondsSince1970: 1), reason: "amount: must not be negative")
        #expect(
            receipt.json(sequence: 1).text
                == #"{"id":null,"state":"rejected","at":"1970-01-01T00:00:00.001Z","sequence":1,"#
                + #""reason":"amount: must not be negative"}"#)
    }

    @Test("A receipt about a command has a null id, so that none is taken for a payment's")
    func command() throws {
        let named = Receipt(
            .command(try CommandID("A-1")), state: .rejected, at: Timestamp(millisecondsSince1970: 1), reason: "at: x")
        #expect(
            named.json(sequence: 1).text
                == #"{"id":null,"command":"A-1","state":"rejected","at":"1970-01-01T00:00:00.001Z","sequence":1,"#
                + #""reason":"at: x"}"#)
        let unnamed = Receipt(.command(nil), state: .rejected, at: Timestamp(millisecondsSince1970: 1))
        #expect(unnamed.json(sequence: 2).text.hasPrefix(#"{"id":null,"command":null,"state":"rejected""#))
    }

    @Test("The states are those that the providers know")
    func states() {
        let states = Receipt.State.allCases.map(\.rawValue)
        #expect(Set(states) == ["stored", "duplicate", "announced", "expired", "cancelled", "rejected"])
    }
}
