import SoundboxCore
import SoundboxMQTT
import SoundboxTesting
import TestSupport
import Testing

@Suite("Receipts reach the broker", .timeLimit(.minutes(10)))
struct ReceiptTests {
    @Test("A receipt leaves at QoS 1 and is let go only when the broker has acknowledged it")
    func deliveredOnAcknowledgement() async throws {
        let delegate = RecordingDelegate()
        try await withFakeBroker(delegate: delegate) { broker, feed in
            let session = try await broker.session()
            delegate.queueReceipts([#"{"id":"1"}"#])
            feed.receiptsAreWaiting()
            let receipt = try await session.packets.next(\.publication)
            #expect(receipt.topic == receiptsTopic)
            #expect(receipt.payload == #"{"id":"1"}"#)
            #expect(receipt.qos == 1)
            #expect(!receipt.isRetained)

            // The commit's PUBACK comes from a later turn of the feed than the receipt.
            session.send(.publish("x", to: paymentsTopic, id: 1))
            _ = try await session.packets.next(\.acknowledgedID)
            #expect(delegate.delivered.entries.isEmpty)

            session.send(.puback(receipt.id))
            #expect(try await delegate.delivered.next() == [1])
        }
    }

    @Test("At most 32 are under way; each acknowledgement lets the next one go")
    func window() async throws {
        let delegate = RecordingDelegate()
        delegate.queueReceipts((1...40).map { "\($0)" })
        try await withFakeBroker(delegate: delegate) { broker, _ in
            let session = try await broker.session()
            var ids: [UInt16] = []
            for number in 1...32 {
                let receipt = try await session.packets.next(\.publication)
                #expect(receipt.payload == "\(number)")
                ids.append(receipt.id)
            }
            session.send(.publish("x", to: paymentsTopic, id: 1))
            _ = try await session.packets.next { packet in
                #expect(packet.kind != .publish, "the window is full")
                return packet.acknowledgedID
            }
            session.send(.puback(ids[0]))
            #expect(try await session.packets.next(\.publication).payload == "33")
        }
    }

    @Test("A receipt without an acknowledgement is sent again on the next connection")
    func sentAgain() async throws {
        let delegate = RecordingDelegate()
        delegate.queueReceipts(["1"])
        try await withFakeBroker(delegate: delegate) { broker, _ in
            let first = try await broker.session()
            let lost = try await first.packets.next(\.publication)
            #expect(lost.payload == "1")
            first.hangUp()

            let (second, _) = try await broker.connectionWithConnect()
            second.send(.connack())
            let again = try await second.packets.next(\.publication)
            #expect(again.payload == "1")
            second.send(.puback(again.id))
            #expect(try await delegate.delivered.next() == [1])
        }
    }
}
