import TestSupport
import Testing

@Suite("On the example broker no box can read or publish for another", .timeLimit(.minutes(10)))
struct AccessListTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func withBroker(
        _ body: (HardenedBroker, MosquittoBroker, _ box: TestCertificates.Pair, _ thief: TestCertificates.Pair)
            async throws -> Void
    ) async throws {
        let hardened = try await HardenedBroker(in: folder, boxes: [("M1001", "box-01"), ("M2002", "box-02")])
        let box = try #require(hardened.boxes["M1001.box-01"])
        let thief = try #require(hardened.boxes["M2002.box-02"])
        try await withMosquitto(configuration: hardened.configuration, in: folder) { broker in
            try await body(hardened, broker, box, thief)
        }
    }

    private static let box = "soundbox/v1/M1001/box-01"
    private static let thief = "soundbox/v1/M2002/box-02"

    @Test(
        "Another box's payments and commands are not delivered, whatever is subscribed to",
        arguments: ["payments", "commands"], ["soundbox/v1/#", "#", "soundbox/v1/M1001/box-01/+"])
    func reading(topic: String, filter: String) async throws {
        try await withBroker { hardened, broker, box, thief in
            let listener = try await hardened.listen(thief, broker, filter)
            let own = try await hardened.listen(thief, broker, "\(Self.thief)/\(topic)")
            try await hardened.publish(hardened.provider, broker, "\(Self.box)/\(topic)", "for box-01")
            try await hardened.publish(hardened.provider, broker, "\(Self.thief)/\(topic)", "for box-02")
            #expect(try await own.output.next() == "for box-02")
            if filter.hasSuffix("#") {
                #expect(try await listener.output.next() == "for box-02")
            } else {
                listener.terminate()
                #expect(try await !listener.output.all().contains("for box-01"))
            }
        }
    }

    @Test("The other's client id does not help")
    func clientID() async throws {
        try await withBroker { hardened, broker, _, thief in
            let listener = try await hardened.listen(
                thief, broker, "soundbox/v1/#", clientID: "soundbox-M1001-box-01")
            try await hardened.publish(hardened.provider, broker, "\(Self.box)/payments", "for box-01")
            try await hardened.publish(hardened.provider, broker, "\(Self.thief)/payments", "for box-02")
            #expect(try await listener.output.next() == "for box-02")
        }
    }

    @Test("Nobody but the provider can make a payment, not even the box itself", arguments: ["payments", "commands"])
    func forging(topic: String) async throws {
        try await withBroker { hardened, broker, box, thief in
            let listener = try await hardened.listen(box, broker, "\(Self.box)/\(topic)")
            try await hardened.publish(thief, broker, "\(Self.box)/\(topic)", "forged")
            try await hardened.publish(box, broker, "\(Self.box)/\(topic)", "forged by itself")
            try await hardened.publish(hardened.provider, broker, "\(Self.box)/\(topic)", "real")
            #expect(try await listener.output.next() == "real")
        }
    }

    @Test("Another box's receipts, replies and status cannot be forged", arguments: ["receipts", "replies", "status"])
    func receipts(topic: String) async throws {
        try await withBroker { hardened, broker, box, thief in
            let listener = try await hardened.listen(hardened.provider, broker, "soundbox/v1/+/+/\(topic)")
            try await hardened.publish(thief, broker, "\(Self.box)/\(topic)", "forged")
            try await hardened.publish(box, broker, "\(Self.box)/\(topic)", "real")
            #expect(try await listener.output.next() == "real")
        }
    }

    @Test("Without a certificate of the boxes' authority nobody gets in")
    func strangers() async throws {
        try await withBroker { hardened, broker, _, _ in
            let child = try ChildProcess([
                "mosquitto_pub", "--host", "localhost", "--port", "\(broker.port)", "--cafile",
                hardened.authority.certificate, "--topic", "\(Self.box)/payments", "--message", "forged",
            ])
            #expect(try await child.exitStatus() != 0)
        }
    }

    @Test(
        "The last box of a list is in the access list, whether a newline ends its line or not", arguments: ["\n", ""])
    func lastLine(end: String) async throws {
        let script = "\(Products.project)/provisioning/broker/make-acl.sh"
        let child = try ChildProcess([script, "provider"], input: "M1 b1\nM2 b2\(end)")
        let lines = try await child.output.all()
        #expect(lines.contains("user M1.b1"))
        #expect(lines.contains("user M2.b2"))
        #expect(lines.contains("topic read soundbox/v1/M2/b2/payments"))
    }

    @Test("Nor is a last line without a newline taken unchecked")
    func badLastLine() async throws {
        let script = "\(Products.project)/provisioning/broker/make-acl.sh"
        let child = try ChildProcess([script, "provider"], input: "M1 b1\nM2 #")
        #expect(try await child.exitStatus() != 0)
    }

    @Test(
        "The access list is not made from names that would widen it",
        arguments: ["M1001 #", "+ box-01", "M1001 a/b", "M1001.x box-01", "M1001", "M1001 box-01 more"])
    func badNames(line: String) async throws {
        let script = "\(Products.project)/provisioning/broker/make-acl.sh"
        let child = try ChildProcess([script, "provider"], input: "M1 b1\n\(line)\n")
        #expect(try await child.exitStatus() != 0)
        #expect(try await child.errors.all().first?.hasPrefix("line 2: expected MERCHANT DEVICE") == true)
    }
}
