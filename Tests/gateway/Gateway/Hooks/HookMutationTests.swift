import SoundboxControl
import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxGateway

@Suite("Requests with changed bytes", .timeLimit(.minutes(10)))
struct HookMutationTests {
    private static let now: Int64 = 1_778_602_410
    private let keys: HookFolder

    init() throws { keys = try HookFolder() }

    /// Changes up to three bytes of a request, in its body or in one of its headers.
    private func changed(_ request: HTTPRequest, by generator: inout SeededGenerator) -> HTTPRequest {
        var request = request
        func change(_ bytes: inout [UInt8]) {
            for _ in 0..<Int.random(in: 1...3, using: &generator) where !bytes.isEmpty {
                let index = Int.random(in: bytes.indices, using: &generator)
                switch Int.random(in: 0...3, using: &generator) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.insert(bytes[index], at: index)
                case 2: bytes.remove(at: index)
                default: bytes.removeLast(Int.random(in: 0...min(8, bytes.count), using: &generator))
                }
            }
        }
        if let name = request.headers.keys.sorted().randomElement(using: &generator), Bool.random(using: &generator) {
            var bytes = Array(request.headers[name, default: ""].utf8)
            change(&bytes)
            request.headers[name] = String(decoding: bytes, as: UTF8.self)
        } else {
            change(&request.body)
        }
        return request
    }

    /// - Parameter rounds: how many changed requests are tried.
    private func check(_ hook: Hook, _ request: HTTPRequest, rounds: Int = 3000) throws {
        let document = try hook.scheme.open(request, at: Self.now)
        var generator = SeededGenerator(seed: 1)
        for round in 0..<rounds {
            let other = changed(request, by: &generator)
            // The same bytes may be written in other ways: digits in capitals, %20 for a plus sign.
            if let opened = try? hook.scheme.open(other, at: Self.now) { #expect(opened == document, "round \(round)") }
        }
    }

    @Test("None gets another document past Stripe's signature")
    func stripe() throws {
        let hook = try keys.hook("scheme: stripe, secret_file: \(try keys.secret("whsec_0123456789abcdef"))")
        let body = #"{"id":"evt_1","data":{"object":{"amount_received":200,"currency":"usd"}}}"#
        let signature = code("\(Self.now).\(body)", key: "whsec_0123456789abcdef").hexadecimal
        let header = "t=\(Self.now),v1=\(signature),v0=\(signature)"
        try check(hook, HTTPRequest(headers: ["stripe-signature": header], body: Array(body.utf8)))
    }

    @Test("None gets another document past WeChat Pay's signature")
    func weChatPay() async throws {
        let platform = try await RSASigner("platform", in: keys.folder)
        let secret = "0123456789abcdef0123456789ABCDEF"
        let hook = try keys.hook(
            "scheme: wechatpay-v3, api_v3_key_file: \(try keys.secret(secret)), "
                + "platform_keys: {PUB_KEY_ID_01: \(platform.publicKey)}")
        let sealed = try await GCMSealer(folder: keys.folder, key: Array(secret.utf8)).seal(
            Array(#"{"transaction_id":"1","amount":{"total":100}}"#.utf8), nonce: Array("fdasflkja484".utf8),
            associated: [])
        let body =
            #"{"resource":{"algorithm":"AEAD_AES_256_GCM","nonce":"fdasflkja484","ciphertext":"\#(base64(sealed))"}}"#
        let signature = try await platform.sign(Array("\(Self.now)\nnonce\n\(body)\n".utf8))
        let headers = [
            "wechatpay-serial": "PUB_KEY_ID_01", "wechatpay-signature": signature,
            "wechatpay-timestamp": "\(Self.now)", "wechatpay-nonce": "nonce",
        ]
        try check(hook, HTTPRequest(headers: headers, body: Array(body.utf8)))
    }

    @Test("None gets another document past Alipay's signature")
    func alipay() async throws {
        let alipay = try await RSASigner("alipay", in: keys.folder)
        let hook = try keys.hook("scheme: alipay, public_key_file: \(alipay.publicKey)")
        let signature = try await alipay.sign(Array("a=1&body=x y&total_amount=2.00&trade_no=7".utf8))
        let sign = signature.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
        let body = "total_amount=2.00&body=x+y&sign=\(sign)&a=1&sign_type=RSA2&trade_no=7"
        try check(hook, HTTPRequest(headers: [:], body: Array(body.utf8)))
    }
}
