import SoundboxCore
import Testing

@Suite("The names of a box's topics")
struct TopicsTests {
    private func topics(
        _ common: String = TopicLayout.usual, _ own: [Topic: String] = [:], clientID: String? = nil,
        merchant: String = "M1001", device: String = "box-01"
    ) throws(TopicsError) -> Topics {
        try Topics(
            merchant: merchant, device: device, layout: TopicLayout(common: common, own: own, clientID: clientID))
    }

    @Test("Templates make the names and the client id that a platform prescribes")
    func templates() throws {
        let topics = try topics(
            "/{merchant}/{device}/user/{topic}", [.payments: "/sys/{merchant}/{device}/thing/service/pay"],
            clientID: "{device}|securemode=2|")
        #expect(topics[.payments] == "/sys/M1001/box-01/thing/service/pay")
        #expect(topics[.receipts] == "/M1001/box-01/user/receipts")
        #expect(topics.clientID == "box-01|securemode=2|")
    }

    @Test("Without templates the client id is the box's usual one")
    func usualClientID() throws {
        #expect(try topics().clientID == ClientID.box(merchant: "M1001", device: "box-01"))
    }

    @Test("What an id holds is never taken for a placeholder")
    func braces() throws {
        #expect(try topics(merchant: "{device}")[.payments] == "soundbox/v1/{device}/box-01/payments")
    }

    @Test(
        "A template that does not part one box or one topic from another is refused",
        arguments: [
            ("{prefix}/{merchant}/{topic}", TopicsError.Problem.withoutDevice),
            ("{prefix}/{merchant}-{device}/{topic}", .twoInOneLevel), ("pay/{device}", .same(as: .payments)),
            ("pay/{device}/#", .reserved("#")), ("+/{device}/{topic}", .reserved("+")),
            ("$share/g/{device}/{topic}", .shared), ("a//{device}/{topic}", .emptyLevel),
            ("a/{device}/{topic}/", .emptyLevel), ("a\n/{device}/{topic}", .controlCharacter),
            (
                "{prefx}/{device}/{topic}",
                .unknownPlaceholder(["{prefix}", "{merchant}", "{device}", "{topic}"])
            ),
        ])
    func refused(template: String, problem: TopicsError.Problem) {
        let error = #expect(throws: TopicsError.self) { try topics(template) }
        #expect(error?.problem == problem)
        #expect(error?.value == template)
    }

    @Test("Two topics that RabbitMQ makes the same are refused")
    func sameWhenRewritten() {
        let error = #expect(throws: TopicsError.self) {
            try topics(TopicLayout.usual, [.payments: "a.b/{device}", .commands: "a/b.{device}"])
        }
        #expect(error?.part == .topic(.commands))
        #expect(error?.problem == .same(as: .payments))
    }

    @Test("A client id without the device is refused: two boxes would evict each other")
    func sharedClientID() {
        let error = #expect(throws: TopicsError.self) { try topics(clientID: "box-of-{merchant}") }
        #expect(error?.part == .clientID)
        #expect(error?.problem == .withoutDevice)
    }

    // MARK: What a name means under which something came

    @Test("The box's own names are known, and another box's are foreign")
    func own() throws {
        let topics = try topics()
        for topic in Topic.allCases { #expect(topics.match(topics[topic]) == .own(topic)) }
        for name in ["soundbox/v1/M1001/box-02/payments", "soundbox/v1/M1001/box-01/payments/x", "payments", ""] {
            #expect(topics.match(name) == .foreign, "\(name)")
        }
    }

    @Test("What RabbitMQ makes of the prefix is certain: no other box's name can come out the same")
    func rewrittenPrefix() throws {
        let topics = try Topics(prefix: "pay.v1/a*b", merchant: "M1001", device: "box-01")
        #expect(topics.match("pay/v1/a+b/M1001/box-01/payments") == .rewritten(.payments, isCertain: true))
        #expect(topics.match("pay/v1/a+b/M1001/box-02/payments") == .foreign)
    }

    @Test("What it makes of an id with a dot may be another box's")
    func rewrittenID() throws {
        let topics = try topics(merchant: "M.1001")
        let other = try self.topics(merchant: "M", device: "1001.box-01")
        let delivered = "soundbox/v1/M/1001/box-01/payments"
        #expect(topics.match(delivered) == .rewritten(.payments, isCertain: false))
        #expect(other.match(delivered) == .rewritten(.payments, isCertain: false))
    }
}
