import TestSupport
import Testing

@testable import SoundboxMQTT

@Suite("A broker's bytes become packets, in bounded memory")
struct PacketReaderTests {
    private static let limit = 1_000

    private static let session: [ControlPacket] = [
        .connack(), .suback(1, granted: 1), ControlPacket(.pingresp), .puback(7),
        .publish("small", to: "a/b", id: 1), .publish("", to: "支付", id: 2),
        .publish(String(repeating: "x", count: limit), to: "a/b", id: 3),
        .publish(String(repeating: "x", count: limit + 1), to: "a/b", id: 4, isRetained: true),
        ControlPacket(.publish, flags: 0, body: [0, 1, 0x61, 0x31]), ControlPacket(.pubrel, flags: 2, body: [0, 9]),
        .publish("last", to: "a/b", id: 5),
    ]

    private static func head(
        _ topic: String, _ id: UInt16, qos: UInt8 = 1, retained: Bool = false
    ) -> IncomingPacket.Head {
        .init(topic: topic, id: id, qos: qos, isRetained: retained)
    }

    private static let expected: [IncomingPacket] = [
        .connack(0, knowsSession: false), .suback(1, grantedQoS: 1), .pingresp, .puback(7),
        .publish(head("a/b", 1), payload: Array("small".utf8)), .publish(head("支付", 2), payload: []),
        .publish(head("a/b", 3), payload: [UInt8](repeating: 0x78, count: limit)),
        .oversized(head("a/b", 4, retained: true), payloadBytes: limit + 1),
        .skipped(head("a/b", 4, retained: true), payloadBytes: limit + 1),
        .publish(head("a", 0, qos: 0), payload: [0x31]), .pubrel(9),
        .publish(head("a/b", 5), payload: Array("last".utf8)),
    ]

    private static func read(_ bytes: [UInt8], inPiecesOf size: () -> Int) throws -> [IncomingPacket] {
        var reader = PacketReader(maximumPayloadBytes: limit)
        var packets: [IncomingPacket] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            var piece = rest.prefix(size())
            rest = rest.dropFirst(piece.count)
            while let packet = try reader.next(from: &piece) { packets.append(packet) }
            #expect(piece.isEmpty)
        }
        return packets
    }

    @Test("However the network cuts them", arguments: [1, 2, 3, 7, 100, 1_000, 100_000])
    func pieces(size: Int) throws {
        let bytes = Self.session.flatMap(\.bytes)
        #expect(try Self.read(bytes) { size } == Self.expected)
    }

    @Test("In pieces of random sizes", arguments: 1...20)
    func randomPieces(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let bytes = Self.session.flatMap(\.bytes)
        #expect(try Self.read(bytes) { Int.random(in: 1...300, using: &generator) } == Self.expected)
    }

    @Test("Damaged and random bytes are read or refused, and never held beyond the bound", arguments: 1...200)
    func damaged(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var bytes = Self.session.flatMap(\.bytes)
        for _ in 0..<Int.random(in: 1...40, using: &generator) {
            bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        }
        bytes += (0..<200_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        var rest = bytes[Int.random(in: 0..<2_000, using: &generator)...]
        // A violation ends a connection; the next one begins at the next byte.
        while !rest.isEmpty {
            var reader = PacketReader(maximumPayloadBytes: Self.limit)
            do {
                while !rest.isEmpty {
                    var piece = rest.prefix(Int.random(in: 1...5_000, using: &generator))
                    rest = rest.dropFirst(piece.count)
                    while try reader.next(from: &piece) != nil {}
                    #expect(reader.heldBytes <= Self.limit + 2 + 65_535 + 2)
                }
            } catch {}
        }
    }

    @Test("A message of 256 MiB is skipped without being kept")
    func largest() throws {
        var reader = PacketReader(maximumPayloadBytes: Self.limit)
        let payload = 268_435_455 - 2 - 1 - 2
        var start: ArraySlice<UInt8> = [0x32, 0xFF, 0xFF, 0xFF, 0x7F, 0, 1, 0x61, 0, 1]
        #expect(try reader.next(from: &start) == .oversized(Self.head("a", 1), payloadBytes: payload))
        #expect(reader.skipping?.payloadBytes == payload)
        let piece = [UInt8](repeating: 0, count: 1 << 20)
        for _ in 0..<payload >> 20 {
            var bytes = piece[...]
            #expect(try reader.next(from: &bytes) == nil)
        }
        var end = piece.prefix(payload & ((1 << 20) - 1))
        #expect(try reader.next(from: &end) == .skipped(Self.head("a", 1), payloadBytes: payload))
        #expect(reader.skipping == nil)
    }

    @Test(
        "What MQTT does not allow is told by name, as soon as it can be known",
        arguments: [
            ([0x30, 0xFF, 0xFF, 0xFF, 0xFF], "a length of more than four bytes"),
            ([0x40, 0xFF, 0xFF, 0xFF, 0x7F], "a packet of type 4 with 268435455 bytes where 2 are due"),
            ([0x90, 0x00], "a packet of type 9 with 0 bytes where 3 are due"),
            ([0x36, 0x05], "a message at QoS 3"), ([0x30, 0x01], "a message without a topic"),
            ([0x32, 0x05, 0xFF, 0xFF], "a topic longer than its packet"),
            ([0x30, 0x04, 0, 2, 0xC3, 0x28], "a topic that is no text"),
            ([0x30, 0x04, 0, 2, 0x61, 0x00], "a topic that is no text"),
            ([0x32, 0x05, 0, 1, 0x61, 0, 0], "packet id 0"),
            ([0x82, 0x05], "a packet of type 8, which nobody asked for"),
        ] as [([UInt8], String)])
    func violations(bytes: [UInt8], reason: String) {
        var reader = PacketReader(maximumPayloadBytes: Self.limit)
        var rest = bytes[...]
        #expect(throws: ProtocolViolation(reason)) {
            while try reader.next(from: &rest) != nil {}
        }
    }
}
