import SoundboxSystem
import SoundboxYAML
import TestSupport
import Testing

@testable import SoundboxGateway

@Suite("docs/gateway.md has the keys of a hook")
struct HookKeysTests {
    /// The keys that a section knows, as the error for an unknown one lists them.
    private func keys(_ signature: String, others: String = "") throws -> [String] {
        let keys = try HookFolder()
        let secret = try keys.secret("a-secret-of-a-good-length")
        let section = signature.replacing("SECRET", with: secret)
        let mistake = try keys.recipeMistake(section, others: others)
        let list = try #require(mistake.firstMatch(of: /unknown key; expected one of (.*)/)?.1, "\(mistake)")
        return list.split(separator: ", ").map(String.init)
    }

    @Test("Every key that a hook's file may have is described")
    func all() throws {
        let body = #"secret_file: SECRET, signed: "{body}""#
        let known = try [
            keys(#"\#(body), code: {header: x}"#, others: "qqqqqqqqqqqqqqqqqqqqqqqqq: 1"),
            keys(#"\#(body), code: {header: x}, qqqqqqqqqqqqqqqqqqqqqqqqq: 1"#),
            keys(#"\#(body), code: {header: x, qqqqqqqqqqqqqqqqqqqqqqqqq: 1}"#),
            keys(
                #"secret_file: SECRET, signed: "{timestamp}{body}", code: {header: x}, "#
                    + "timestamp: {header: x, qqqqqqqqqqqqqqqqqqqqqqqqq: 1}"),
            keys("secret_file: SECRET, token: {header: x, qqqqqqqqqqqqqqqqqqqqqqqqq: 1}"),
            keys(#"secret_file: SECRET, signed: {fields: [id], separator: ":", qqqqqqqqqqqqqqqqqqqqqqqqq: 1}"#),
            keys(#"secret_file: SECRET, signed: {members: d, separator: ":", qqqqqqqqqqqqqqqqqqqqqqqqq: 1}"#),
        ].flatMap(\.self)
        #expect(Set(known).isSuperset(of: ["signature", "hook", "code", "within", "token", "fields"]))
        let section = try section()
        for key in known {
            #expect(section.contains("`\(key)`") || section.contains("\(key): "), "\(key) is not in docs/gateway.md")
        }
    }

    @Test("The page's example is a hook")
    func example() throws {
        let keys = try HookFolder()
        try keys.secret("a-secret-of-a-good-length", in: "shop.secret")
        let text = try #require(try section().firstMatch(of: /(?s)```yaml\n(.*?)```/)?.1)
        let hook = try keys.hook(text: String(text).replacing("/etc/soundbox-gateway/", with: keys.folder.path + "/"))
        #expect(Set(hook.headers) == ["x-signature", "x-timestamp"])
    }

    private func section() throws -> String {
        let page = try SmallFile.read(HookFolder.shippedFolder + "/../../docs/gateway.md")
        return String(try #require(page.split(separator: "\n## ").first { $0.hasPrefix("Hooks") }))
    }
}
