import SoundboxControl
import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxGateway

/// What is changed in requests is in ``HookMutationTests``.
@Suite("The hooks in provisioning/hooks", .timeLimit(.minutes(10)))
struct HookExampleTests {
    private let keys: HookFolder

    init() throws { keys = try HookFolder() }

    @Test(
        "A request that is signed as the provider signs is the payment that the file shows", arguments: HookExample.all)
    func genuine(example: HookExample) throws {
        let hook = try example.hook(in: keys)
        let request = try example.request()
        let document = try hook.scheme.open(request, at: HookExample.now)
        #expect(document == request.body)
        let box = Hook.Box.ids(merchant: "M1001", device: "box-01")
        #expect(example.reading(document, by: hook) == "\(example.payment) \(example.money) \(box)")
        #expect(Set(hook.headers).isSuperset(of: request.headers.keys))
        #expect(hook.scheme.accepted.status == 200 && hook.scheme.accepted.text == #"{"success":true}"#)
    }

    @Test("Signed with another key it is refused", arguments: HookExample.all)
    func otherKey(example: HookExample) throws {
        #expect(example.otherSecret != example.secret)
        let request = try example.request(secret: example.otherSecret)
        #expect(refusal(try example.hook(in: keys), request, at: HookExample.now) == 401)
    }

    @Test("Codes that the providers' own libraries and pages have are right: Adyen's and payOS' stand in the files")
    func vectors() throws {
        for example in HookExample.all where example.cover == .fields {
            let request = HTTPRequest(headers: [:], body: Array(try example.body.utf8))
            #expect(refusal(try example.hook(in: keys), request, at: 0) == nil, "\(example.name)")
            #expect(request == (try example.request()), "\(example.name)")
        }
        // The test of https://github.com/standard-webhooks/standard-webhooks.
        try keys.secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", in: "standard-webhooks.secret")
        let headers = [
            "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "1614265330",
            "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        ]
        let request = HTTPRequest(headers: headers, body: Array(#"{"test": 2432232314}"#.utf8))
        #expect(refusal(try keys.shipped("standard-webhooks"), request, at: 1_614_265_330) == nil)
    }

    @Test(
        "A signed time counts for five minutes, either way",
        arguments: ["stripe", "sepay", "cashfree", "standard-webhooks"])
    func times(name: String) throws {
        let example = try #require(HookExample.all.first { $0.name == name })
        let (hook, request) = (try example.hook(in: keys), try example.request())
        for age in [-300, 0, 300] as [Int64] { #expect(refusal(hook, request, at: HookExample.now + age) == nil) }
        for age in [-301, 301] as [Int64] { #expect(refusal(hook, request, at: HookExample.now + age) == 401) }
    }

    @Test("Another address than the signed one is refused, whatever the request says of its host")
    func address() throws {
        let example = try #require(HookExample.all.first { $0.name == "square" })
        let hook = try example.hook(
            in: keys, changes: ["https://pay.example/hooks/square": "https://pay.example/hooks/squarf"])
        #expect(refusal(hook, try example.request(), at: HookExample.now) == 401)
    }

    @Test("Each example has a test here or a suite of its own, and lets payments for no box pass")
    func all() throws {
        let names = try SmallFile.names(in: HookFolder.shippedFolder).map { $0.replacing(".yaml", with: "") }
        let others = ["alipay", "wechatpay", "wechatpay-combined"]
        #expect(Set(names) == Set(HookExample.all.map(\.name) + others))
        for name in names {
            for line in try HookFolder.text(ofShipped: name).split(separator: "\n")
            where line.hasPrefix("device:") || line.hasPrefix("merchant: {field") {
                #expect(line.contains("absent: ignore"), "\(name): \(line)")
                #expect(!line.contains("codes:") || line.contains("otherwise: ignore"), "\(name): \(line)")
            }
        }
    }

    @Test(
        "A payment without the field that names the box is for none, and one of another shop too",
        arguments: HookExample.all)
    func noBox(example: HookExample) throws {
        let hook = try example.hook(in: keys)
        let text = try HookFolder.text(ofShipped: example.name)
        let field = try #require(text.firstMatch(of: /device: {field: ([^,]+),/)).1
        let body = try example.body
        let name = try #require(field.split(separator: ".").last)
        let nameless = Array(body.replacing("\"\(name)\":", with: "\"other\":").utf8)
        guard case .none(_, isAbsence: true) = try hook.box(of: nameless) else { throw TestFailure("it has a box") }
        guard let shop = text.firstMatch(of: /codes: {"?([^":]+)"?: box-01}/)?.1 else { return }
        let other = Array(body.replacing(shop, with: "99").utf8)
        guard case .none(_, isAbsence: false) = try hook.box(of: other) else { throw TestFailure("it has a box") }
    }

    @Test("Other events of Stripe are ignored, and a currency with other minor units is refused")
    func stripe() throws {
        let example = HookExample.all[0]
        let decoder = MappedNoticeDecoder(mapping: try example.hook(in: keys).mapping, defaultCurrency: .CNY)
        let other = try example.body.replacing("payment_intent.succeeded", with: "payment_intent.created")
        #expect(try decoder.decode(Array(other.utf8)) == .ignored(reason: #"type is "payment_intent.created""#))
        let krona = try example.body.replacing("usd", with: "isk")
        #expect(throws: NoticeRejection.self) { try decoder.decode(Array(krona.utf8)) }
    }

    @Test("A transfer of SePay has its time, and money that goes out is ignored")
    func sepay() throws {
        let example = try #require(HookExample.all.first { $0.name == "sepay" })
        let decoder = MappedNoticeDecoder(mapping: try example.hook(in: keys).mapping, defaultCurrency: .CNY)
        guard case .notice(let notice, _) = try decoder.decode(Array(try example.body.utf8)) else {
            throw TestFailure("no payment")
        }
        #expect(notice.paidAt == Timestamp(rfc3339: "2023-03-25T14:02:37+07:00"))
        let out = try example.body.replacing(#""in""#, with: #""out""#)
        #expect(try decoder.decode(Array(out.utf8)) == .ignored(reason: #"transferType is "out""#))
    }

    @Test("Every item of Adyen's has a signature of its own, and one without costs the request")
    func severalItems() throws {
        let example = try #require(HookExample.all.first { $0.name == "adyen" })
        let hook = try example.hook(in: keys)
        let (start, end) = (#"{"live":"true","notificationItems":["#, "]}")
        let first = try example.body.dropFirst(start.utf8.count).dropLast(2)
        let other = try example.sign(
            String(first).replacing("7914073381342284", with: "7914073381342285"), 0, example.secret
        ).body
        let both = HTTPRequest(headers: [:], body: Array("\(start)\(first),\(other)\(end)".utf8))
        let document = try hook.scheme.open(both, at: 0)
        #expect(example.reading(document, by: hook).contains("7914073381342285 11.3 EUR"))
        let forged = other.replacing("1130", with: "9130")
        for items in ["\(first),\(forged)", "\(forged),\(first)", ""] {
            let request = HTTPRequest(headers: [:], body: Array("\(start)\(items)\(end)".utf8))
            #expect(refusal(hook, request, at: 0) == 401)
        }
        for body in [#"{"notificationItems":{}}"#, #"{"live":"true"}"#] {
            #expect(refusal(hook, HTTPRequest(headers: [:], body: Array(body.utf8)), at: 0) == 401)
        }
    }

    @Test("SePay's API key is taken in place of the signature")
    func apiKey() throws {
        let hook = try keys.recipe(
            #"secret_file: \#(try keys.secret("A-key-of-a-good-length")), token: {header: Authorization, prefix: "Apikey "}"#
        )
        func request(_ value: String) -> HTTPRequest { HTTPRequest(headers: ["authorization": value], body: []) }
        #expect(refusal(hook, request("Apikey A-key-of-a-good-length"), at: 0) == nil)
        for value in ["Apikey", "Apikey ", "Apikey x", "Bearer A-key-of-a-good-length", "A-key-of-a-good-length"] {
            #expect(refusal(hook, request(value), at: 0) == 401, "\(value)")
        }
    }
}
