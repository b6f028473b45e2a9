import SoundboxGateway
import TestSupport
import Testing

@testable import SoundboxControl

@Suite("Webhooks with a token in a header")
struct HeaderTokenTests {
    private static let token = "a-token-of-a-good-length"
    private static let bearer = #"token: {header: Authorization, prefix: "Bearer "}"#
    private let keys: HookFolder
    private let hook: Hook

    init() throws {
        keys = try HookFolder()
        hook = try keys.recipe("secret_file: \(try keys.secret(Self.token)), \(Self.bearer)")
    }

    private func request(_ header: String?) -> HTTPRequest {
        HTTPRequest(headers: header.map { ["authorization": $0] } ?? [:], body: Array("{}".utf8))
    }

    @Test("The token opens; the word before it has no case, and blanks around the value are no part of it (RFC 9110)")
    func taken() throws {
        for word in ["Bearer", "bearer", "BEARER", " \tBearer"] {
            #expect(try hook.scheme.open(request("\(word) \(Self.token)"), at: 0) == Array("{}".utf8))
        }
        #expect(refusal(hook, request("Bearer \(Self.token) "), at: 0) == nil)
        #expect(hook.headers == ["authorization"])
        #expect(hook.scheme.accepted.status == 200)
        #expect(hook.scheme.failed("x \"y\"").text == #"{"success":false,"message":"x \"y\""}"#)
    }

    @Test(
        "Anything else is refused",
        arguments: [
            nil, "", " ", "Bearer", "Bearer ", "Bearer  \(token)", "Bearer \(token)x",
            "Bearer \(token.dropLast())", "Basic \(token)", token, "Bearer \(token.uppercased())",
            "Bearer " + String(repeating: "x", count: 60_000),
        ])
    func refused(header: String?) { #expect(refusal(hook, request(header), at: 0) == 401) }

    @Test("Two tokens are taken while the token changes, and no third")
    func two() throws {
        let (one, two) = (try keys.secret("the-next-token-of-the-shop", in: "next"), try keys.secret(Self.token))
        let hook = try keys.recipe("secret_file: [\(one), \(two)], token: {header: x-token}")
        func status(_ token: String) -> Int? {
            refusal(hook, HTTPRequest(headers: ["x-token": token], body: []), at: 0)
        }
        #expect(status("the-next-token-of-the-shop") == nil && status(Self.token) == nil)
        #expect(status("the-third-token-of-the-shop") == 401)
        let three = try keys.recipeMistake("secret_file: [\(one), \(two), \(two)], token: {header: x-token}")
        #expect(three.contains("signature.secret_file: expected one file, or two while the key changes"))
    }

    @Test("A hashed token is the hash, not the secret, in digits of any case")
    func hashed() throws {
        let hook = try keys.recipe(
            "secret_file: \(try keys.secret("user:a-password-of-it")), token: {header: Authorization, hash: sha256}")
        // printf %s user:a-password-of-it | sha256sum
        let digits = "243358fa36cf77ce69796941ba59241d83792a8c447b4f1f96559f3175a6820f"
        #expect(
            refusal(hook, request(digits), at: 0) == nil && refusal(hook, request(digits.uppercased()), at: 0) == nil)
        for value in ["user:a-password-of-it", String(digits.dropLast()), digits + "00", ""] {
            #expect(refusal(hook, request(value), at: 0) == 401)
        }
    }

    @Test("A token that is missing, empty, short, open to all or with a blank around it is no token")
    func files() throws {
        #expect(try keys.recipeMistake(Self.bearer).contains("secret_file: this key is missing"))
        #expect(try keys.recipeMistake("secret_file: /nowhere/token, \(Self.bearer)").contains("secret file"))
        for (text, words) in [("", "is empty"), ("short", "at least 16"), (" \(Self.token)", "blank")] {
            let file = try keys.secret(text, in: "other")
            let mistake = try keys.recipeMistake("secret_file: \(file), \(Self.bearer)")
            #expect(mistake.contains("hook.yaml:1: signature.secret_file") && mistake.contains(words), "\(mistake)")
            #expect(!mistake.contains(Self.token))
        }
        let open = try keys.folder.write(Self.token, to: "open")
        #expect(try keys.recipeMistake("secret_file: \(open), \(Self.bearer)").contains("chmod o="))
        let file = try keys.secret(Self.token)
        #expect(
            try keys.recipeMistake("secret_file: \(file), signed: x, token: {header: x}").contains(
                "signature.signed: unknown key"))
        #expect(
            try keys.recipeMistake("secret_file: \(file), token: {header: x, hash: md5}").contains(
                "expected one of sha256"))
    }

    @Test("The token is in no description")
    func hidden() {
        var dumped = ""
        dump(hook.scheme, to: &dumped)
        #expect(!dumped.contains(Self.token) && dumped.contains("••••••"))
    }
}
