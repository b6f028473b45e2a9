import TestSupport
import Testing

@testable import SoundboxMQTT

@Suite("The properties of MQTT 5 are read or refused")
struct IncomingPropertiesTests {
    /// A packet whose body has these properties, with their length, behind `before`.
    private static func packet(
        _ type: UInt8, _ before: [UInt8], _ properties: [UInt8], _ after: [UInt8] = []
    ) -> [UInt8] {
        let body = before + variable(properties.count) + properties + after
        return [type] + variable(body.count) + body
    }

    private static func variable(_ number: Int) -> [UInt8] {
        number < 128 ? [UInt8(number)] : [UInt8(number & 0x7F) | 0x80] + variable(number >> 7)
    }

    private static func read(_ bytes: [UInt8], inPiecesOf size: Int = 1_000_000) throws -> [IncomingPacket] {
        var reader = PacketReader(maximumPayloadBytes: 1_000, version: .v5)
        var packets: [IncomingPacket] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            var piece = bytes[start..<min(start + size, bytes.count)]
            while let packet = try reader.next(from: &piece) { packets.append(packet) }
        }
        return packets
    }

    private static func head(_ id: UInt16, expiry: UInt32? = nil) -> IncomingPacket.Head {
        .init(topic: "a", id: id, qos: id == 0 ? 0 : 1, isRetained: false, expiry: expiry)
    }

    private static func text(_ id: UInt8, _ text: String) -> [UInt8] { ControlPacket.property(id, text) }

    @Test("Every packet of a broker, however the network cuts it", arguments: [1, 2, 3, 7, 100, 100_000])
    func everyPacket(size: Int) throws {
        let connack: [UInt8] =
            [0x11, 0, 0, 0x0E, 0x10, 0x13, 0, 60, 0x21, 0, 10, 0x22, 0, 5, 0x24, 1, 0x25, 0, 0x27, 0, 1, 0, 0]
            + Self.text(0x12, "id") + Self.text(0x1A, "i") + [0x28, 1, 0x29, 1, 0x2A, 0]
            + Self.text(0x26, "a") + [0, 1, 0x62] + Self.text(0x26, "a") + [0, 1, 0x62]
        var granted = IncomingProperties()
        granted.sessionExpiry = 3_600
        granted.serverKeepAlive = 60
        granted.receiveMaximum = 10
        granted.maximumQoS = 1
        granted.retainIsAvailable = false
        granted.maximumPacketSize = 65_536
        granted.assignedClientID = "id"
        let publish: [UInt8] =
            [0x01, 1, 0x02, 0, 0, 1, 0] + Self.text(0x03, "text") + Self.text(0x08, "b") + Self.text(0x09, "\u{0}")
            + [0x0B, 0x80, 0x01, 0x0B, 2] + Self.text(0x26, "k") + [0, 0]
        let quota = BrokerReason(code: 0x97, text: "full")
        let bytes =
            Self.packet(0x20, [1, 0], connack) + Self.packet(0x32, [0, 1, 0x61, 0, 7], publish, Array("hello".utf8))
            + Self.packet(0x32, [0, 1, 0x61, 0, 8], []) + Self.packet(0x30, [0, 1, 0x61], [], [1])
            + Self.packet(0x32, [0, 1, 0x61, 0, 9], [], [UInt8](repeating: 1, count: 1_001))
            + [0x40, 2, 0, 1, 0x40, 3, 0, 2, 0x10] + Self.packet(0x40, [0, 3, 0x97], Self.text(0x1F, "full"))
            + [0x62, 2, 0, 4, 0x62, 3, 0, 4, 0x92] + Self.packet(0x90, [0, 5], [], [1])
            + Self.packet(0x90, [0, 6], Self.text(0x1F, "no"), [0x87]) + [0xD0, 0, 0xE0, 0, 0xE0, 1, 0x8B]
            + Self.packet(0xE0, [0x9C], Self.text(0x1C, "other:1883"))
        let expected: [IncomingPacket] = [
            .connack(0, knowsSession: true, granted),
            .publish(Self.head(7, expiry: 256), payload: Array("hello".utf8)), .publish(Self.head(8), payload: []),
            .publish(Self.head(0), payload: [1]), .oversized(Self.head(9), payloadBytes: 1_001),
            .skipped(Self.head(9), payloadBytes: 1_001), .puback(1), .puback(2), .puback(3, quota), .pubrel(4),
            .pubrel(4), .suback(5, grantedQoS: 1),
            .suback(6, grantedQoS: 0x87, BrokerReason(code: 0x87, text: "no")), .pingresp,
            .disconnect(BrokerReason(code: 0)), .disconnect(BrokerReason(code: 0x8B)),
            .disconnect(BrokerReason(code: 0x9C, otherServer: "other:1883")),
        ]
        #expect(try Self.read(bytes, inPiecesOf: size) == expected)
    }

    @Test("The answer of a broker that knows 3.1.1 only is told from one in MQTT 5")
    func olderAnswer() throws {
        #expect(try Self.read([0x20, 2, 0, 1]) == [.connack(1, knowsSession: false, nil)])
        #expect(
            try Self.read([0x20, 3, 0, 0x84, 0]) == [.connack(0x84, knowsSession: false, IncomingProperties())])
    }

    @Test(
        "What MQTT 5 does not allow is told by name",
        arguments: [
            (packet(0x20, [0, 0], [0x11, 0, 0]), "a property 17 that is cut off"),
            (packet(0x20, [0, 0], [0x11, 0, 0, 0, 1, 0x11, 0, 0, 0, 1]), "a property 17 that comes twice"),
            (packet(0x20, [0, 0], [0x7E, 0]), "a property 126, which is unknown"),
            (packet(0x20, [0, 0], [0x02, 0, 0, 0, 1]), "a property 2 in a packet of type 2"),
            (packet(0x32, [0, 1, 0x61, 0, 7], [0x1F, 0, 0]), "a property 31 in a packet of type 3"),
            (packet(0x32, [0, 1, 0x61, 0, 7], [0x23, 0, 1]), "a topic alias, which was not allowed"),
            (packet(0x32, [0, 1, 0x61, 0, 7], [0x0B, 0xFF, 0xFF, 0xFF, 0xFF]), "a property 11 that is cut off"),
            (packet(0x20, [0, 0], [0x21, 0, 0]), "a receive maximum of 0"),
            (packet(0x20, [0, 0], [0x24, 2]), "a maximum QoS of 2"),
            (packet(0x20, [0, 0], [0x25, 7]), "retain available: 7"),
            (packet(0x20, [0, 0], [0x27, 0, 0, 0, 0]), "a maximum packet size of 0"),
            (packet(0x20, [0, 0], [0x1F, 0xFF, 0xFF, 0x61]), "a property 31 that is cut off"),
            (packet(0x20, [0, 0], [0x26, 0, 1, 0x61, 0]), "a property 38 that is cut off"),
            ([0x20, 3, 0, 0, 0x80], "a length of properties without an end"),
            ([0x20, 7, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], "a length of properties without an end"),
            ([0x20, 3, 0, 0, 5], "properties longer than their packet"),
            ([0x20, 4, 0, 0, 0, 0], "a packet of type 2 that is longer than its properties"),
            ([0x32, 6, 0, 1, 0x61, 0, 7, 9], "properties longer than their packet"),
            ([0x32, 6, 0, 1, 0x61, 0, 7, 0x80], "a length of properties without an end"),
            ([0x32, 99, 0, 1, 0x61, 0, 7, 0xFF, 0xFF, 0xFF, 0xFF], "a length of properties without an end"),
            ([0x32, 5, 0, 1, 0x61, 0, 7], "a topic longer than its packet"),
            ([0x90, 4, 0, 1, 9, 0], "properties longer than their packet"),
            ([0x90, 5, 0, 1, 0, 1, 1], "a packet of type 9 that does not answer to one topic"),
            ([0x40, 0xF0, 0xF2, 0x04], "a packet of type 4 with 80240 bytes where 2 to 70000 are due"),
            ([0xE0, 0xFF, 0xFF, 0xFF, 0x7F], "a packet of type 14 with 268435455 bytes where 0 to 70000 are due"),
            ([0xF0, 0], "a packet of type 15, which nobody asked for"),
        ] as [([UInt8], String)])
    func violations(bytes: [UInt8], reason: String) {
        // A property that is wrong within a packet of the wrong shape may be found first.
        #expect(throws: ProtocolViolation(reason)) { _ = try Self.read(bytes) }
    }

    @Test("A message with more properties than fit is skipped like one that is too large")
    func manyProperties() throws {
        let pair: [UInt8] = [0x26, 0, 1, 0x61, 0, 1, 0x62]
        let properties = Array(repeatElement(pair, count: 10_000).joined())
        let bytes = Self.packet(0x32, [0, 1, 0x61, 0, 7], properties, [1, 2])
        let skipped = 70_002
        #expect(
            try Self.read(bytes + [0xD0, 0], inPiecesOf: 999) == [
                .oversized(Self.head(7), payloadBytes: skipped), .skipped(Self.head(7), payloadBytes: skipped),
                .pingresp,
            ])
    }

    @Test("A reason of full length is read, and shown bounded and escaped")
    func hugeReason() throws {
        let text = "\u{1B}[2J\n" + String(repeating: "x", count: 65_530)
        let packets = try Self.read(Self.packet(0xE0, [0x98], Self.text(0x1F, text)))
        guard case .disconnect(let reason)? = packets.first else {
            Issue.record("\(packets.count)")
            return
        }
        #expect(reason.text == text)
        #expect(reason.description.utf8.count < 300)
        #expect(reason.description.hasPrefix(#"an administrator has ended it (the broker says "\u{1b}[2J\u{a}xxx"#))
    }

    @Test("Damaged and random bytes are read or refused, and never held beyond the bound", arguments: 1...200)
    func damaged(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var bytes =
            Self.packet(0x20, [0, 0], [0x11, 0, 0, 0, 9, 0x1F, 0, 1, 0x61])
            + (0..<50).flatMap {
                Self.packet(0x32, [0, 1, 0x61, 0, $0 + 1], [0x02, 0, 0, 0, 9, 0x26, 0, 0, 0, 0], [1])
            }
            + Self.packet(0x90, [0, 5], [], [1]) + Self.packet(0x40, [0, 3, 0x97], Self.text(0x1F, "full"))
            + Self.packet(0xE0, [0x9C], Self.text(0x1C, "other:1883"))
        for _ in 0..<Int.random(in: 1...40, using: &generator) {
            bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        }
        bytes += (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        var rest = bytes[...]
        // A violation ends a connection; the next one begins at the next byte.
        while !rest.isEmpty {
            var reader = PacketReader(maximumPayloadBytes: 1_000, version: .v5)
            do {
                while !rest.isEmpty {
                    var piece = rest.prefix(Int.random(in: 1...5_000, using: &generator))
                    rest = rest.dropFirst(piece.count)
                    while try reader.next(from: &piece) != nil {}
                    #expect(reader.heldBytes <= 70_000)
                }
            } catch {}
        }
    }
}
