import SoundboxControl
import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxGateway

@Suite("Alipay's webhooks", .timeLimit(.minutes(10)))
struct AlipayHookTests {
    /// Alipay's documented notice (https://opendocs.alipay.com/common/02mse7), without `sign` and `sign_type`.
    private static let payment = [
        "total_amount": "2.00", "buyer_id": "2088102116773037", "body": "大乐透2.1",
        "trade_no": "2016071921001003030200089909", "refund_fee": "0.00", "notify_time": "2016-07-19 14:10:49",
        "subject": "大乐透2.1", "charset": "utf-8", "notify_type": "trade_status_sync",
        "out_trade_no": "0719141034-6418", "gmt_close": "2016-07-19 14:10:46", "gmt_payment": "2016-07-19 14:10:47",
        "trade_status": "TRADE_SUCCESS", "version": "1.0", "gmt_create": "2016-07-19 14:10:44",
        "app_id": "2015102700040153", "seller_id": "2088102119685838",
        "notify_id": "4a91b7a78a503640467525113fb7d8bg8e",
    ]

    private let keys: HookFolder
    private let alipay: RSASigner
    private let hook: Hook

    init() async throws {
        keys = try HookFolder()
        alipay = try await RSASigner("alipay", in: keys.folder)
        try keys.folder.write(try keys.folder.read("alipay.pub"), to: "alipay.pem")
        hook = try keys.shipped("alipay")
    }

    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            if character.isASCII, character.isLetter || character.isNumber || "-_.".contains(character) {
                return String(character)
            }
            return byte == 0x20 ? "+" : "%" + [byte].hexadecimal.uppercased()
        }.joined(separator: "")
    }

    private static func signedText(_ fields: [String: String]) -> String {
        fields.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
    }

    private static func form(_ fields: [(String, String)]) -> String {
        fields.map { "\(encoded($0.0))=\(encoded($0.1))" }.joined(separator: "&")
    }

    private func body(
        _ fields: [String: String] = payment, signature: String? = nil, type: String? = "RSA2"
    ) async throws -> String {
        var all = fields.map { ($0.key, $0.value) }
        let right = try await alipay.sign(Array(Self.signedText(fields).utf8))
        all.append(("sign", signature ?? right))
        if let type { all.append(("sign_type", type)) }
        return Self.form(all)
    }

    private func refused(_ body: String) -> Int? {
        refusal(hook, HTTPRequest(headers: [:], body: Array(body.utf8)), at: 0)
    }

    @Test("A part that is refunded comes as a payment's notice with the time of the refund, and is none")
    func partialRefund() async throws {
        let fields = Self.payment.merging(["refund_fee": "1.00", "gmt_refund": "2016-07-20 10:00:00.000"]) { $1 }
        let request = HTTPRequest(headers: [:], body: Array(try await body(fields).utf8))
        let decoder = MappedNoticeDecoder(mapping: hook.mapping, defaultCurrency: .CNY)
        guard case .ignored = try decoder.decode(try hook.scheme.open(request, at: 0)) else {
            Issue.record("a refund is announced as a payment")
            return
        }
    }

    @Test("The documented notice is one for the box of its app")
    func documented() async throws {
        let document = try hook.scheme.open(HTTPRequest(headers: [:], body: Array(try await body().utf8)), at: 0)
        let json = try JSONValue(parsing: document)
        #expect(json["body"] == .string("大乐透2.1") && json["sign"] == nil && json["sign_type"] == nil)
        let notice = try MappedNoticeDecoder(mapping: hook.mapping, defaultCurrency: .CNY).decode(document)
        #expect(
            notice
                == .notice(
                    PaymentNotice(
                        id: try PaymentID("2016071921001003030200089909"), money: try Money("2.00", .CNY),
                        channel: "alipay", paidAt: Timestamp(rfc3339: "2016-07-19T14:10:47+08:00"))))
        #expect(try hook.box(of: document) == .ids(merchant: "2088102119685838", device: "box-01"))
        #expect(hook.scheme.accepted.text == "success" && hook.scheme.accepted.status == 200)
        #expect(hook.scheme.failed("x").text == "fail")
    }

    @Test("A payment that cannot be refunded is a payment: it comes as finished at once")
    func finished() async throws {
        let fields = Self.payment.merging(["trade_status": "TRADE_FINISHED"]) { $1 }
        let request = HTTPRequest(headers: [:], body: Array(try await body(fields).utf8))
        let decoder = MappedNoticeDecoder(mapping: hook.mapping, defaultCurrency: .CNY)
        let notice = try decoder.decode(try hook.scheme.open(request, at: 0))
        guard case .notice(let payment, _) = notice else {
            Issue.record("\(notice) is no payment")
            return
        }
        #expect(payment.id.text == Self.payment["trade_no"])
    }

    @Test("Other states are ignored, and another app's or seller's notice is refused")
    func conditions() async throws {
        let decoder = MappedNoticeDecoder(mapping: hook.mapping, defaultCurrency: .CNY)
        func decode(_ changes: [String: String]) async throws -> DecodedNotice {
            let body = try await body(Self.payment.merging(changes) { $1 })
            return try decoder.decode(try hook.scheme.open(HTTPRequest(headers: [:], body: Array(body.utf8)), at: 0))
        }
        #expect(
            try await decode(["trade_status": "WAIT_BUYER_PAY"])
                == .ignored(reason: #"trade_status is "WAIT_BUYER_PAY""#))
        for changes in [["app_id": "2015102700040154"], ["seller_id": "2088102119685839"]] {
            await #expect(throws: NoticeRejection.self) { try await decode(changes) }
        }
    }

    @Test("The key is taken as a certificate and as the bare base64 of the console, too")
    func keyFiles() async throws {
        let body = HTTPRequest(headers: [:], body: Array(try await body().utf8))
        let pem = String(decoding: try keys.folder.read("alipay.pub"), as: UTF8.self)
        let bare = pem.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
        for file in [alipay.certificate, try keys.folder.write(bare, to: "bare.txt")] {
            #expect(refusal(try keys.hook("scheme: alipay, public_key_file: \(file)"), body, at: 0) == nil)
        }
        let half = try keys.folder.write(String(bare.dropLast(30)), to: "half.txt")
        #expect(try keys.mistake("scheme: alipay, public_key_file: \(half)").contains("no RSA key"))
        #expect(try keys.mistake("scheme: alipay").contains("public_key_file"))
    }

    @Test("What is forged, changed, cut or signed otherwise is refused")
    func forged() async throws {
        let right = try await body()
        #expect(refused(right) == nil)
        #expect(refused(right.replacing("total_amount=2.00", with: "total_amount=900.00")) == 401)
        #expect(refused(right + "&extra=1") == 401)
        #expect(refused(right.replacing("&version=1.0", with: "").replacing("version=1.0&", with: "")) == 401)
        let text = Array(Self.signedText(Self.payment).utf8)
        let stranger = try await RSASigner("stranger", in: keys.folder)
        for signature in [
            try await stranger.sign(text), try await alipay.sign(text, "-sigopt", "rsa_padding_mode:pss"),
            try await alipay.sign(text, hash: "sha1"), "", "AAAA", "x", "====", String(repeating: "A", count: 60_000),
        ] {
            #expect(refused(try await body(signature: signature)) == 401, "\(signature.prefix(20))")
        }
        for type in [nil, "RSA", "", "rsa2"] { #expect(refused(try await body(type: type)) == 400) }
        let sign = try #require(right.split(separator: "&").first { $0.hasPrefix("sign=") })
        #expect(refused(right.replacing("&\(sign)", with: "")) == 401)
    }

    @Test("A field that occurs twice is refused, signed or not")
    func doubled() async throws {
        let right = try await body()
        #expect(refused(right + "&total_amount=900.00") == 400)
        #expect(refused("total_amount=900.00&" + right) == 400)
        #expect(refused(right + "&total_amount=2.00") == 400)
        #expect(refused(right + "&sign_type=RSA2") == 400)
        // One name in two encodings.
        #expect(refused(right + "&%74otal_amount=900.00") == 400)
    }

    @Test("A text of the buyer cannot become fields: the same signed bytes, parted otherwise, are refused")
    func parted() async throws {
        var genuine = Self.payment
        genuine["subject"] = "x&total_amount=900.00&trade_a="
        let signature = try await alipay.sign(Array(Self.signedText(genuine).utf8))
        var forged = Self.payment
        forged["subject"] = "x"
        forged["total_amount"] = "900.00"
        forged["trade_a"] = "&total_amount=2.00"
        #expect(Self.signedText(forged) == Self.signedText(genuine))
        #expect(refused(try await body(forged, signature: signature)) == 400)
        // A name that is none has the same bytes as two fields, and lets a text make up for one that is swallowed.
        var named = forged
        named["trade_a"] = nil
        named["trade_a=&total_amount"] = "2.00"
        #expect(Self.signedText(named) == Self.signedText(genuine))
        #expect(refused(try await body(named, signature: signature)) == 400)
        // The time of a refund, swallowed by the time of the payment.
        var refund = Self.payment
        refund["gmt_refund"] = "2016-07-20 10:00:00"
        let swallowed = Self.payment.merging(["gmt_payment": "2016-07-19 14:10:47&gmt_refund=2016-07-20 10:00:00"]) {
            $1
        }
        #expect(Self.signedText(refund) == Self.signedText(swallowed))
        #expect(refused(try await body(swallowed)) == 400)
        // Harmless texts with the same signs are taken.
        for subject in ["Tom & Jerry", "a&b c=d", "total_amount=1", "https://a.example/?x=1&y=2&buyer_id=3", "&&a=&=b"]
        {
            #expect(refused(try await body(Self.payment.merging(["subject": subject]) { $1 })) == nil, "\(subject)")
        }
    }

    @Test("A field that is read cannot swallow one that is not, in the payment's id for example")
    func swallowed() async throws {
        let hook = try keys.hook(
            text: """
                hook: {scheme: alipay, public_key_file: \(alipay.publicKey)}
                merchant: {constant: M1001}
                device: {constant: box-01}
                id: out_trade_no
                amount: {field: total_amount, unit: decimal}
                """)
        func status(_ fields: [String: String]) async throws -> Int? {
            refusal(hook, HTTPRequest(headers: [:], body: Array(try await body(fields).utf8)), at: 0)
        }
        let genuine = ["out_trade_no": "7", "point_amount": "0.00", "total_amount": "2.00"]
        let forged = ["out_trade_no": "7&point_amount=0.00", "total_amount": "2.00"]
        #expect(Self.signedText(genuine) == Self.signedText(forged))
        #expect(try await status(genuine) == nil)
        #expect(try await status(forged) == 400)
        // No field is read that the text could be.
        #expect(try await status(genuine.merging(["subject": "x&seller_id=1"]) { $1 }) == nil)
        for name in ["total_amount", "out_trade_no", "sign", "sign_type"] {
            #expect(try await status(genuine.merging(["subject": "x&\(name)=1"]) { $1 }) == 400, "\(name)")
        }
    }

    @Test(
        "What is no form is refused",
        arguments: [
            "", "&", "&&&", "=", "a", "a=%", "a=%2", "a=%zz", "%=1", "a=1&b", "{}",
            String(repeating: "&", count: 60_000),
            String(repeating: "a=", count: 30_000), String(repeating: "a=1&", count: 15_000),
        ])
    func noForm(body: String) { #expect(refused(body) == 400) }

    @Test("Texts of another encoding are signed as bytes, and come out broken where they are no UTF-8")
    func encodings() async throws {
        var bytes = Array(Self.signedText(["app_id": "1", "body": ""]).utf8)
        // 大 in GBK.
        bytes += [0xB4, 0xF3]
        let signature = try await alipay.sign(bytes)
        let body = "body=%B4%F3&sign_type=RSA2&app_id=1&sign=\(Self.encoded(signature))"
        let document = try hook.scheme.open(HTTPRequest(headers: [:], body: Array(body.utf8)), at: 0)
        #expect(try JSONValue(parsing: document)["app_id"] == .string("1"))
        #expect(try JSONValue(parsing: document)["body"]?.string?.contains("\u{FFFD}") == true)
    }
}
