import Logging
import SoundboxControl
import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxGateway

@Suite("WeChat Pay's webhooks", .timeLimit(.minutes(10)))
struct WeChatPayHookTests {
    private static let key = "0123456789abcdef0123456789ABCDEF"
    private static let serial = "PUB_KEY_ID_0114232134912410000000000000"
    private static let now: Int64 = 1_528_425_300
    private static let nonce = "c5ac7061fccab6bf3e254dcf98995b8c"
    /// https://pay.weixin.qq.com/docs/merchant/apis/h5-payment/payment-notice.html.
    private static let payment = """
        {"transaction_id":"1217752501201407033233368018","amount":{"payer_total":100,"total":100,"currency":"CNY",\
        "payer_currency":"CNY"},"mchid":"1230000109","trade_state":"SUCCESS","bank_type":"CMC",\
        "success_time":"2018-06-08T10:34:56+08:00","payer":{"openid":"oUpF8uMuAJO_M2pxb1Q9zNjWeS6o"},\
        "out_trade_no":"1217752501201407033233368018","appid":"wxd678efh567hg6787","trade_state_desc":"支付成功",\
        "trade_type":"MICROPAY","attach":"自定义数据","scene_info":{"device_id":"013467007045764"}}
        """

    private let keys: HookFolder
    private let platform: RSASigner
    private let hook: Hook

    init() async throws {
        keys = try HookFolder()
        try keys.secret(Self.key, in: "wechatpay-apiv3.key")
        platform = try await RSASigner("platform", in: keys.folder)
        try keys.folder.write(try keys.folder.read("platform.pub"), to: "wechatpay-pub.pem")
        hook = try keys.shipped("wechatpay")
    }

    private func body(
        _ plain: String = payment, key: String = key, nonce: String = "fdasflkja484", associated: String = "transaction"
    ) async throws -> String {
        let sealer = GCMSealer(folder: keys.folder, key: Array(key.utf8))
        let sealed = try await sealer.seal(
            Array(plain.utf8), nonce: Array(nonce.utf8), associated: Array(associated.utf8))
        return """
            {"id":"EV-2018022511223320873","create_time":"2018-06-08T10:34:57+08:00","resource_type":\
            "encrypt-resource","event_type":"TRANSACTION.SUCCESS","summary":"支付成功","resource":{"original_type":\
            "transaction","algorithm":"AEAD_AES_256_GCM","ciphertext":"\(base64(sealed))",\
            "associated_data":"\(associated)","nonce":"\(nonce)"}}
            """
    }

    private func request(
        _ body: String, by signer: RSASigner? = nil, time: String = "\(now)", nonce: String = nonce
    ) async throws -> HTTPRequest {
        let signature = try await (signer ?? platform).sign(Array("\(time)\n\(nonce)\n\(body)\n".utf8))
        return HTTPRequest(
            headers: [
                "wechatpay-serial": Self.serial, "wechatpay-signature": signature, "wechatpay-timestamp": time,
                "wechatpay-nonce": nonce,
            ], body: Array(body.utf8))
    }

    @Test("The documented payment is a notice for the box of its device")
    func documented() async throws {
        let document = try hook.scheme.open(try await request(try await body()), at: Self.now)
        #expect(document == Array(Self.payment.utf8))
        let notice = try MappedNoticeDecoder(mapping: hook.mapping, defaultCurrency: .CNY).decode(document)
        #expect(
            notice
                == .notice(
                    PaymentNotice(
                        id: try PaymentID("1217752501201407033233368018"), money: try Money("1.00", .CNY),
                        channel: "wechat", paidAt: Timestamp(rfc3339: "2018-06-08T10:34:56+08:00"))))
        #expect(try hook.box(of: document) == .ids(merchant: "1230000109", device: "box-01"))
        #expect(hook.scheme.accepted.status == 200)
        #expect(
            hook.scheme.failed("x").text == #"{"code":"FAIL","message":"x"}"# && hook.scheme.failed("x").status == 503)
    }

    @Test("A refund is ignored, and so is a payment that did not succeed")
    func ignored() throws {
        let decoder = MappedNoticeDecoder(mapping: hook.mapping, defaultCurrency: .CNY)
        let refund = #"{"transaction_id":"1","refund_status":"SUCCESS","amount":{"total":999,"refund":999}}"#
        #expect(try decoder.decode(Array(refund.utf8)) == .ignoredByAbsence(reason: "trade_state is missing"))
        let closed = Self.payment.replacing(#""SUCCESS""#, with: #""CLOSED""#)
        #expect(try decoder.decode(Array(closed.utf8)) == .ignored(reason: #"trade_state is "CLOSED""#))
    }

    @Test("The serial number chooses the key: a certificate beside the public key")
    func serials() async throws {
        let before = try await RSASigner("before", in: keys.folder)
        let hook = try keys.hook(
            """
            scheme: wechatpay-v3, api_v3_key_file: \(keys.folder.file("wechatpay-apiv3.key")), platform_keys:
              {\(Self.serial): \(platform.publicKey), 5157F09EFDC096DE15EBE81A47057A7232F1B8E1: \(before.certificate)}
            """)
        let body = try await body()
        var old = try await request(body, by: before)
        #expect(refusal(hook, old, at: Self.now) == 401)
        old.headers["wechatpay-serial"] = "5157F09EFDC096DE15EBE81A47057A7232F1B8E1"
        #expect(refusal(hook, old, at: Self.now) == nil)
        #expect(refusal(hook, try await request(body), at: Self.now) == nil)
        old.headers["wechatpay-serial"] = "5157F09EFDC096DE15EBE81A47057A7232F1B8E2"
        #expect(refusal(hook, old, at: Self.now) == 401)
    }

    @Test(
        "A certificate that ends is told from a month before on, and refused when it has ended; a public key never ends"
    )
    func ending() async throws {
        let old = try await RSASigner("old", days: 90, in: keys.folder)
        let hook = try keys.hook(
            """
            scheme: wechatpay-v3, api_v3_key_file: \(keys.folder.file("wechatpay-apiv3.key")), platform_keys:
              {\(Self.serial): \(platform.publicKey), 5157f09efdc096de15ebe81a47057a7232f1b8e1: \(old.certificate)}
            """)
        let pem = String(decoding: try keys.folder.read("old.crt"), as: UTF8.self)
        let end = try ClientCertificate(reading: pem).notAfter
        #expect(hook.scheme.warnings(at: end - 31 * 86_400).isEmpty)
        let soon = try #require(hook.scheme.warnings(at: end - 29 * 86_400).first)
        #expect(soon.contains("5157F09EFDC096DE15EBE81A47057A7232F1B8E1 of platform_keys ends on "), "\(soon)")
        #expect(hook.scheme.warnings(at: end + 1).count == 1)
        let body = try await body()
        for (age, status) in [(0, nil), (1, 401)] as [(Int64, Int?)] {
            var request = try await request(body, by: old, time: "\(end + age)")
            #expect(refusal(hook, request, at: end + age) == 401)
            request.headers["wechatpay-serial"] = "5157F09EFDC096DE15EBE81A47057A7232F1B8E1"
            #expect(refusal(hook, request, at: end + age) == status)
        }
        #expect(refusal(hook, try await request(body, time: "\(end + 1)"), at: end + 1) == nil)
        // The log has it as the gateway begins, and once a day.
        let lines = Journal<String>()
        let store = try SQLitePaymentStore.temporary(keys.folder)
        let ended = try await RSASigner("ended", days: 1, in: keys.folder)
        let hooks = [
            "wechat": try keys.hook(
                "scheme: wechatpay-v3, api_v3_key_file: \(keys.folder.file("wechatpay-apiv3.key")), platform_keys: "
                    + "{0A: \(ended.certificate)}")
        ]
        _ = try GatewayRequestHandler(hooks, store, logger: logger(into: lines))
        #expect(lines.entries.count == 1 && lines.entries[0].contains("the certificate 0A of platform_keys ends on "))
    }

    @Test("What is forged, changed, cut, repeated late or without one of the headers is refused")
    func refused() async throws {
        let right = try await request(try await body())
        #expect(refusal(hook, right, at: Self.now) == nil)
        #expect(refusal(hook, right, at: Self.now + 300) == nil)
        #expect(refusal(hook, right, at: Self.now + 301) == 401)
        #expect(refusal(hook, right, at: Self.now - 301) == 401)
        let stranger = try await RSASigner("stranger", in: keys.folder)
        #expect(refusal(hook, try await request(try await body(), by: stranger), at: Self.now) == 401)
        for name in right.headers.keys {
            var request = right
            request.headers[name] = nil
            #expect(refusal(hook, request, at: Self.now) == 401, "\(name)")
        }
        func changed(_ change: (inout HTTPRequest) -> Void) -> Int? {
            var request = right
            change(&request)
            return refusal(hook, request, at: Self.now)
        }
        #expect(changed { $0.body.removeLast() } == 401)
        #expect(changed { $0.body[40] ^= 1 } == 401)
        #expect(changed { $0.body = [] } == 401)
        #expect(changed { $0.headers["wechatpay-timestamp"] = "\(Self.now + 1)" } == 401)
        #expect(changed { $0.headers["wechatpay-timestamp"] = "soon" } == 400)
        #expect(changed { $0.headers["wechatpay-nonce"] = "another" } == 401)
        #expect(changed { $0.headers["wechatpay-nonce"] = String(repeating: "x", count: 60_000) } == 400)
        // The same signed bytes, with the border elsewhere.
        #expect(
            changed {
                $0.headers["wechatpay-nonce"] = Self.nonce + "\n" + String(decoding: $0.body, as: UTF8.self)
                $0.body = []
            } == 400)
        for signature in ["", "x", "AAAA", "====", String(repeating: "A", count: 60_000)] {
            #expect(changed { $0.headers["wechatpay-signature"] = signature } == 401, "\(signature.prefix(20))")
        }
        // WeChat Pay's own trial of whether signatures are checked.
        #expect(
            changed {
                $0.headers["wechatpay-signature"] =
                    "WECHATPAY/SIGNTEST/" + String($0.headers["wechatpay-signature", default: ""].dropFirst(19))
            } == 401)
    }

    @Test("A signature with another padding or hash is refused")
    func padding() async throws {
        let body = try await body()
        let bytes = Array("\(Self.now)\n\(Self.nonce)\n\(body)\n".utf8)
        var request = try await request(body)
        for signature in [
            try await platform.sign(bytes, "-sigopt", "rsa_padding_mode:pss"),
            try await platform.sign(bytes, hash: "sha1"), try await platform.sign(bytes, hash: "sha512"),
        ] {
            request.headers["wechatpay-signature"] = signature
            #expect(refusal(hook, request, at: Self.now) == 401)
        }
    }

    @Test("A signed body that is no notice, or that is sealed otherwise, is refused")
    func sealed() async throws {
        let right = try await body()
        for (other, why) in [
            (try await body(key: "another key of thirty-two bytes."), "another key"),
            (right.replacing("fdasflkja484", with: "fdasflkja485"), "another nonce"),
            (right.replacing("fdasflkja484", with: ""), "no nonce"),
            (right.replacing("fdasflkja484", with: String(repeating: "n", count: 50_000)), "a huge nonce"),
            (right.replacing(#""associated_data":"transaction""#, with: #""associated_data":"refund""#), "other data"),
            (right.replacing(#""associated_data":"transaction","#, with: ""), "no data"),
            (right.replacing("AEAD_AES_256_GCM", with: "AEAD_SM4_GCM"), "another algorithm"),
            (right.replacing(#""ciphertext":""#, with: #""ciphertext":"AAAA"#), "other bytes"),
            (right.replacing(#""ciphertext":""#, with: #""ciphertext":"","other":""#), "no bytes"),
            (right.replacing(#""resource":{"#, with: #""resource":{},"x":{"#), "an empty resource"),
            (right.replacing(#""resource":{"#, with: #""resource":[],"x":{"#), "a list"),
            (right.replacing(#""resource":{"#, with: #""resource":{},"resource":{"#), "two of them"),
            ("[]", "no object"), ("", "nothing"), ("{", "half"), (String(repeating: "[", count: 60_000), "depth"),
        ] {
            let request = try await request(other)
            #expect(refusal(hook, request, at: Self.now) == 400, "\(why)")
            let error = #expect(throws: HookRefusal.self) { try hook.scheme.open(request, at: Self.now) }
            #expect(error?.isGenuine == true, "\(why): it is stored")
        }
        var forged = try await request("{}")
        forged.body = Array("[]".utf8)
        let error = #expect(throws: HookRefusal.self) { try hook.scheme.open(forged, at: Self.now) }
        #expect(error?.isGenuine == false)
        #expect(
            refusal(hook, try await request(try await body(associated: "")), at: Self.now) == nil,
            "the documentation allows empty data")
    }

    @Test("A genuine one that could not be decrypted is read when the key is right")
    func otherKey() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try SQLitePaymentStore.temporary(folder)
        let decoder = PaymentNoticeDecoder(defaultCurrency: .CNY)
        try keys.secret("another key of thirty-two bytes.", in: "wechatpay-apiv3.key")
        let old = WebhookReader(hooks: ["wechatpay": try keys.shipped("wechatpay")], decoder: decoder)
        let webhook = GenuineWebhook(
            hook: "wechatpay", path: "/hooks/wechatpay", form: .sealed, document: Array(try await body().utf8))
        let problems = old.parts(of: webhook).problems
        #expect(problems == ["resource cannot be decrypted; is it another APIv3 key?"])
        let outcome = try store.accept([.init([], webhook: webhook, problems: problems)], at: store.clock.now).first
        let number = try #require(outcome?.unread?.number)
        #expect(try old.retry(number, in: store) == .unread(reason: problems[0]))
        let new = WebhookReader(hooks: ["wechatpay": hook], decoder: decoder)
        #expect(try new.retry(number, in: store) == .read(payments: 1))
        let box = try BoxID(merchant: "1230000109", device: "box-01")
        #expect(try store.state("1217752501201407033233368018", of: box) == .accepted)
    }

    @Test("A key of another length, and a file without an RSA key of 2,048 bits, are mistakes of the hook's file")
    func mistakes() async throws {
        let short = try keys.secret("0123456789abcdef0123456789ABCDE", in: "short")
        let key = keys.folder.file("wechatpay-apiv3.key")
        func mistake(_ key: String, _ keysOf: String) throws -> String {
            try keys.mistake("scheme: wechatpay-v3, api_v3_key_file: \(key), platform_keys: \(keysOf)")
        }
        #expect(
            try mistake(short, "{a: \(platform.publicKey)}").contains("expected a key of 32 bytes; its file has 31"))
        #expect(try mistake(key, "{}").contains("at least one"))
        let weak = try await RSASigner("weak", bits: 1024, in: keys.folder)
        let curve = keys.folder.file("curve.pem")
        let curveKey = keys.folder.file("curve.key")
        try await ChildProcess.run("openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", curveKey)
        try await ChildProcess.run("openssl", "pkey", "-in", curveKey, "-pubout", "-out", curve)
        for file in [weak.publicKey, weak.certificate, curve, key, keys.folder.file("platform.key")] {
            #expect(try mistake(key, "{a: \(file)}").contains("no RSA key of at least 2,048 bits"), "\(file)")
        }
        #expect(try mistake(key, "{a: \(keys.folder.file("nothing"))}").contains("No such file"))
    }
}
