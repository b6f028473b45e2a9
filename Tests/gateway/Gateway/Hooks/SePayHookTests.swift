import SoundboxControl
import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxGateway

@Suite("SePay's webhooks")
struct SePayHookTests {
    private static let secret = "a-secret-of-a-good-length"
    private static let now: Int64 = 1_679_727_757
    /// https://developer.sepay.vn/en/sepay-webhooks/tich-hop-webhook.
    private static let body = """
        {"id":92704,"gateway":"Vietcombank","transactionDate":"2023-03-25 14:02:37","accountNumber":"0123499999",\
        "code":null,"content":"chuyen tien mua iphone","transferType":"in","transferAmount":2277000,\
        "accumulated":19077000,"subAccount":null,"referenceCode":"MBVCB.3278907687","description":""}
        """

    private let keys: HookFolder
    private let hook: Hook

    init() throws {
        keys = try HookFolder()
        try keys.secret(Self.secret, in: "sepay.secret")
        hook = try keys.shipped("sepay")
    }

    private static func signature(_ time: Int64 = now, of body: String = body, key: String = secret) -> String {
        "sha256=" + code("\(time).\(body)", key: key).hexadecimal
    }

    private func request(_ signature: String?, time: String? = "\(now)", body: String = body) -> HTTPRequest {
        var headers: [String: String] = [:]
        headers["x-sepay-signature"] = signature
        headers["x-sepay-timestamp"] = time
        return HTTPRequest(headers: headers, body: Array(body.utf8))
    }

    @Test("The documented transfer is a notice for the box of its account")
    func transfer() throws {
        let document = try hook.scheme.open(request(Self.signature()), at: Self.now)
        let notice = try MappedNoticeDecoder(mapping: hook.mapping, defaultCurrency: .CNY).decode(document)
        let dong = try #require(Currency("VND"))
        #expect(
            notice
                == .notice(
                    PaymentNotice(
                        id: try PaymentID("92704"), money: try Money("2277000", dong),
                        paidAt: Timestamp(rfc3339: "2023-03-25T14:02:37+07:00"))))
        #expect(try hook.box(of: document) == .ids(merchant: "M1001", device: "box-01"))
        #expect(hook.scheme.accepted.text == #"{"success":true}"#)
    }

    @Test("Money that goes out is ignored")
    func out() throws {
        let decoder = MappedNoticeDecoder(mapping: hook.mapping, defaultCurrency: .CNY)
        let out = Self.body.replacing(#""in""#, with: #""out""#)
        #expect(try decoder.decode(Array(out.utf8)) == .ignored(reason: #"transferType is "out""#))
    }

    @Test("A repeated request is refused after five minutes")
    func replay() {
        #expect(refusal(hook, request(Self.signature()), at: Self.now + 300) == nil)
        #expect(refusal(hook, request(Self.signature()), at: Self.now + 301) == 401)
        #expect(refusal(hook, request(Self.signature()), at: Self.now - 301) == 401)
        #expect(refusal(hook, request(Self.signature(), time: "\(Self.now + 600)"), at: Self.now + 600) == 401)
    }

    @Test(
        "A signature that is forged, cut, empty or of another body is refused",
        arguments: [
            nil, "", "sha256=", "sha256=zz", String(signature().dropFirst(7)), String(signature().dropLast(2)),
            signature() + "00", signature(of: "{}"), signature(key: "another secret of a good length"),
            signature().replacing("sha256", with: "sha1"),
        ])
    func refused(signature: String?) { #expect(refusal(hook, request(signature), at: Self.now) == 401) }

    @Test("A time that is missing or none is refused, and an API key in place of the signature")
    func times() {
        #expect(refusal(hook, request(Self.signature(), time: nil), at: Self.now) == 401)
        for time in ["", "soon", "-1", String(repeating: "9", count: 60_000)] {
            #expect(refusal(hook, request(Self.signature(), time: time), at: Self.now) == 400)
        }
        let key = HTTPRequest(headers: ["authorization": "Apikey \(Self.secret)"], body: Array(Self.body.utf8))
        #expect(refusal(hook, key, at: Self.now) == 401)
    }

    @Test("A hook with an API key takes that, and nothing else")
    func apiKey() throws {
        let hook = try keys.hook("scheme: sepay, api_key_file: \(try keys.secret(Self.secret))")
        func request(_ value: String) -> HTTPRequest { HTTPRequest(headers: ["authorization": value], body: []) }
        #expect(refusal(hook, request("Apikey \(Self.secret)"), at: 0) == nil)
        for value in ["Apikey", "Apikey ", "Apikey x", "Bearer \(Self.secret)", Self.secret, "Apikey \(Self.secret) "] {
            #expect(refusal(hook, request(value), at: 0) == 401, "\(value)")
        }
        #expect(refusal(hook, self.request(Self.signature()), at: Self.now) == 401)
    }

    @Test("Both proofs or none are a mistake of the file")
    func mistakes() throws {
        let file = try keys.secret(Self.secret)
        #expect(try keys.mistake("scheme: sepay").contains("found neither"))
        #expect(try keys.mistake("scheme: sepay, api_key_file: \(file), secret_file: \(file)").contains("found both"))
    }
}
