import SoundboxGateway
import TestSupport
import Testing

@testable import SoundboxControl

@Suite("Webhooks with a bearer token")
struct BearerHookTests {
    private static let token = "a-token-of-a-good-length"
    private let keys: HookFolder
    private let hook: Hook

    init() throws {
        keys = try HookFolder()
        hook = try keys.hook("scheme: bearer, token_file: \(try keys.secret(Self.token))")
    }

    private func request(_ header: String?) -> HTTPRequest {
        HTTPRequest(headers: header.map { ["authorization": $0] } ?? [:], body: Array("{}".utf8))
    }

    @Test("The token opens; the word before it is written in any case (RFC 9110, section 11.1)")
    func taken() throws {
        for word in ["Bearer", "bearer", "BEARER"] {
            #expect(try hook.scheme.open(request("\(word) \(Self.token)"), at: 0) == Array("{}".utf8))
        }
        #expect(hook.headers == ["authorization"])
        #expect(hook.scheme.accepted.status == 200)
        #expect(hook.scheme.failed("x \"y\"").text == #"{"success":false,"message":"x \"y\""}"#)
    }

    @Test(
        "Anything else is refused",
        arguments: [
            nil, "", " ", "Bearer", "Bearer ", "Bearer  \(token)", "Bearer \(token) ", "Bearer \(token)x",
            "Bearer \(token.dropLast())", "Basic \(token)", token, "Bearer \(token.uppercased())",
            "Bearer " + String(repeating: "x", count: 60_000),
        ])
    func refused(header: String?) { #expect(refusal(hook, request(header), at: 0) == 401) }

    @Test("A token that is missing, empty, short, open to all or with a blank around it is no token")
    func files() throws {
        #expect(try keys.mistake("scheme: bearer").contains("token_file: this key is missing"))
        #expect(try keys.mistake("scheme: bearer, token_file: /nowhere/token").contains("token file"))
        for (text, words) in [("", "is empty"), ("short", "at least 16"), (" \(Self.token)", "blank")] {
            let mistake = try keys.mistake("scheme: bearer, token_file: \(try keys.secret(text, in: "other"))")
            #expect(mistake.contains("hook.yaml:1: hook.token_file") && mistake.contains(words), "\(mistake)")
            #expect(!mistake.contains(Self.token))
        }
        let open = try keys.folder.write(Self.token, to: "open")
        #expect(try keys.mistake("scheme: bearer, token_file: \(open)").contains("chmod o="))
    }

    @Test("The token is in no description")
    func hidden() {
        var dumped = ""
        dump(hook.scheme, to: &dumped)
        #expect(!dumped.contains(Self.token) && dumped.contains("••••••"))
    }
}
