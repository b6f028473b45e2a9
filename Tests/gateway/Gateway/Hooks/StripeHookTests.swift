import SoundboxControl
import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxGateway

@Suite("Stripe's webhooks")
struct StripeHookTests {
    private static let secret = "whsec_0123456789abcdef0123456789abcdef"
    private static let now: Int64 = 1_778_602_410
    private static let body = """
        {"id":"evt_1","object":"event","created":1778602408,"type":"payment_intent.succeeded","data":{"object":\
        {"id":"pi_1","object":"payment_intent","amount":200,"amount_received":200,"currency":"usd",\
        "created":1778602405,"livemode":true,"metadata":{"soundbox":"box-01"}}}}
        """

    private let keys: HookFolder
    private let hook: Hook

    init() throws {
        keys = try HookFolder()
        try keys.secret(Self.secret, in: "stripe.secret")
        hook = try keys.shipped("stripe")
    }

    private static func signature(_ time: Int64 = now, of body: String = body, key: String = secret) -> String {
        code("\(time).\(body)", key: key).hexadecimal
    }

    private func request(_ header: String?, body: String = body) -> HTTPRequest {
        HTTPRequest(headers: header.map { ["stripe-signature": $0] } ?? [:], body: Array(body.utf8))
    }

    @Test("A payment that succeeded is a notice for the box in its metadata")
    func payment() throws {
        let document = try hook.scheme.open(request("t=\(Self.now),v1=\(Self.signature())"), at: Self.now)
        let notice = try MappedNoticeDecoder(mapping: hook.mapping, defaultCurrency: .CNY).decode(document)
        let usd = try #require(Currency("USD"))
        #expect(
            notice
                == .notice(
                    PaymentNotice(
                        id: try PaymentID("pi_1"), money: try Money("2.00", usd),
                        paidAt: Timestamp(rfc3339: "2026-05-12T16:13:28Z"))))
        #expect(try hook.box(of: document) == .ids(merchant: "M1001", device: "box-01"))
    }

    @Test("Other events are ignored, and a currency with other minor units is refused")
    func conditions() throws {
        let decoder = MappedNoticeDecoder(mapping: hook.mapping, defaultCurrency: .CNY)
        let other = Self.body.replacing("payment_intent.succeeded", with: "payment_intent.created")
        #expect(try decoder.decode(Array(other.utf8)) == .ignored(reason: #"type is "payment_intent.created""#))
        let krona = Self.body.replacing("usd", with: "isk")
        #expect(throws: NoticeRejection.self) { try decoder.decode(Array(krona.utf8)) }
    }

    @Test("One of several signatures is enough, and other schemes do not count")
    func several() {
        let (old, right) = (Self.signature(key: "whsec_the-secret-before"), Self.signature())
        #expect(refusal(hook, request("t=\(Self.now),v1=\(old),v1=\(right),v0=\(old)"), at: Self.now) == nil)
        #expect(refusal(hook, request("t=\(Self.now),v1=\(old),v0=\(right)"), at: Self.now) == 401)
    }

    @Test("A signed time counts for five minutes, either way", arguments: [-300, 0, 300] as [Int64])
    func tolerance(age: Int64) {
        let request = request("t=\(Self.now),v1=\(Self.signature())")
        #expect(refusal(hook, request, at: Self.now + age) == nil)
        #expect(refusal(hook, request, at: Self.now + age + (age < 0 ? -1 : 301)) == 401)
    }

    @Test("A time that is changed, missing, doubled, empty or huge is refused")
    func times() {
        let code = Self.signature()
        #expect(refusal(hook, request("t=\(Self.now + 1),v1=\(code)"), at: Self.now) == 401)
        for time in ["", "t=,", "t=x,", "t=-1,", "t=99999999999999999999,", "t=\(Self.now),t=\(Self.now),", "t=٣,"] {
            #expect(refusal(hook, request("\(time)v1=\(code)"), at: Self.now) == 400, "\(time)")
        }
    }

    @Test(
        "A signature that is forged, cut, missing or of another body is refused",
        arguments: [
            "", "v1=", "v1=\(signature().dropLast(2))", "v1=\(signature())00", "v1=zz", "v1", "=",
            "v1=\(signature(key: "another secret of a good length"))", "v1=\(signature(of: "{}"))",
            "v1=" + String(repeating: "0", count: 60_000),
        ])
    func refused(rest: String) {
        #expect(refusal(hook, request("t=\(Self.now),\(rest)"), at: Self.now) == 401)
    }

    @Test("Without the header, and with another body, it is refused")
    func stranger() {
        #expect(refusal(hook, request(nil), at: Self.now) == 401)
        let header = "t=\(Self.now),v1=\(Self.signature())"
        #expect(refusal(hook, request(header, body: Self.body.replacing("200", with: "900")), at: Self.now) == 401)
        #expect(refusal(hook, request(header, body: ""), at: Self.now) == 401)
    }
}
