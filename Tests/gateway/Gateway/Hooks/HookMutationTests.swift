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

    /// - Parameters:
    ///   - rounds: how many changed requests are tried.
    ///   - reading: what must stay as it is.
    private func check(
        _ hook: Hook, _ request: HTTPRequest, rounds: Int = 3000, by reading: ([UInt8]) -> [UInt8] = { $0 }
    ) throws {
        let document = reading(try hook.scheme.open(request, at: Self.now))
        var generator = SeededGenerator(seed: 1)
        for round in 0..<rounds {
            let other = changed(request, by: &generator)
            // The same bytes may be written in other ways: digits in capitals, %20 for a plus sign.
            if let opened = try? hook.scheme.open(other, at: Self.now) {
                #expect(reading(opened) == document, "round \(round)")
            }
        }
    }

    @Test("None gets another document past the signature of an example", arguments: HookExample.all)
    func examples(example: HookExample) throws {
        let (hook, request) = (try example.hook(in: keys), try example.request())
        switch example.cover {
        case .body: try check(hook, request)
        case .fields: try check(hook, request) { Array(example.reading($0, by: hook).utf8) }
        // A token says nothing about the body.
        case .none: try check(hook, HTTPRequest(headers: request.headers, body: []))
        }
    }

    @Test(
        "One other byte in the body is refused, wherever it is",
        arguments: HookExample.all.filter { $0.cover == .body })
    func bytes(example: HookExample) throws {
        let (hook, request) = (try example.hook(in: keys), try example.request())
        for index in request.body.indices {
            var other = request
            other.body[index] ^= 1
            #expect(refusal(hook, other, at: Self.now) == 401, "byte \(index)")
        }
    }

    @Test("One other byte in a header is refused, unless it says the same", arguments: HookExample.all)
    func headers(example: HookExample) throws {
        let (hook, request) = (try example.hook(in: keys), try example.request())
        for (name, value) in request.headers {
            var refused = 0
            for index in value.utf8.indices {
                var (other, bytes) = (request, Array(value.utf8))
                bytes[value.utf8.distance(from: value.startIndex, to: index)] ^= 2
                other.headers[name] = String(decoding: bytes, as: UTF8.self)
                if (try? hook.scheme.open(other, at: Self.now)) == nil { refused += 1 }
            }
            // Codes of other versions beside the right one do not count.
            let others = value.matches(of: /v0=[^,]*|v1a,\S+ ?/).map { $0.output.utf8.count }.reduce(0, +)
            #expect(refused >= value.utf8.count - others - 1, "\(name): \(refused) of \(value.utf8.count)")
            var without = request
            without.headers[name] = nil
            #expect(refusal(hook, without, at: Self.now) == 401)
        }
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
