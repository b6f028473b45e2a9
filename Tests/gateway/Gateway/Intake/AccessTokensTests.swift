import Glibc
import SoundboxCore
import SoundboxSystem
import Synchronization
import TestSupport
import Testing

@testable import SoundboxGateway

@Suite("Bearer tokens")
struct AccessTokensTests {
    private static let token = "0123456789abcdef0123456789abcdef"

    private func tokens() throws -> AccessTokens {
        try AccessTokens("# who\n\nshop \(Self.token)\r\nother \(Self.token)2\n")
    }

    @Test(
        "A token has its name; anything else is unknown",
        arguments: [
            ("Bearer \(token)", "shop"), ("bearer   \(token)", "shop"), ("Bearer \(token)2", "other"),
            ("Bearer \(token)3", nil), ("Bearer", nil), ("Bearer ", nil), (token, nil), ("Basic \(token)", nil),
            ("Bearer \(token) ", nil), ("", nil), (String(repeating: "Bearer ", count: 1000), nil),
        ] as [(String, String?)])
    func verdicts(header: String, name: String?) throws {
        let expected = name.map { AccessTokens.Verdict.admitted(.init(name: $0)) } ?? .unknown
        #expect(try tokens().verdict(on: header) == expected)
    }

    @Test("Each token has a rate of its own, and gets its turn again as time passes")
    func rate() throws {
        let time = Mutex(Duration.zero)
        let tokens = try AccessTokens("shop \(Self.token)\nother \(Self.token)2") { time.withLock { $0 } }
        for _ in 0..<AccessTokens.requestsPerSecond {
            #expect(tokens.verdict(on: "Bearer \(Self.token)") == .admitted(.init(name: "shop")))
        }
        #expect(tokens.verdict(on: "Bearer \(Self.token)") == .tooFast("shop"))
        #expect(tokens.verdict(on: "Bearer \(Self.token)2") == .admitted(.init(name: "other")))
        time.withLock { $0 = .seconds(1) }
        #expect(tokens.verdict(on: "Bearer \(Self.token)") == .admitted(.init(name: "shop")))
    }

    @Test(
        "A file is refused with its line, and never with a token",
        arguments: [
            ("shop", 1, "a name, a blank and a token"), ("\nshop short", 2, "at least 32"),
            ("a \(token)\nb \(token)", 2, "twice"), ("a \(token)\na \(token)2", 2, "twice"),
            ("# nothing", nil, "no token"), ("a \(token) payments", 1, "expected merchant=… or rights=…"),
            ("a \(token) rights=payments,write", 1, "expected payments, read, commands"),
            ("a \(token) rights=", 1, "expected payments, read, commands"),
            ("a \(token) merchant=", 1, "merchant: "), ("a \(token) merchant=M1,", 1, "merchant: "),
            ("a \(token) merchant=%", 1, "percent-encoded"), ("a \(token) merchant=M%2F1", 1, "merchant: "),
            ("a \(token) merchant=M1 merchant=M2", 1, "twice"), ("a \(token) \(token)2", 1, "expected merchant=…"),
        ] as [(String, Int?, String)])
    func wrong(text: String, line: Int?, problem: String) {
        let error = #expect(throws: AccessTokenError.self) { try AccessTokens(text) }
        #expect(error?.line == line)
        #expect(error?.problem.contains(problem) == true)
        #expect(error?.problem.contains(Self.token) == false)
    }

    @Test("What a token may stands behind it; without it all merchants, payments and read, and no commands")
    func rights() throws {
        let tokens = try AccessTokens(
            """
            plain \(Self.token)
            both \(Self.token)2 rights=commands,read merchant=M1,M%2C2%20é
            for \(Self.token)3 merchant=M1
            """)
        func access(_ suffix: String) throws -> AccessTokens.Access {
            guard case .admitted(let access) = tokens.verdict(on: "Bearer \(Self.token)\(suffix)") else {
                throw TestFailure("not admitted")
            }
            return access
        }
        let (plain, both, one) = (try access(""), try access("2"), try access("3"))
        #expect(plain.rights == [.payments, .read] && plain.merchants == nil && plain.covers(merchant: "any"))
        #expect(both.rights == [.read, .commands] && both.merchants == ["M1", "M,2 é"])
        // The same to people, and another topic at the broker.
        #expect(both.covers(merchant: "M,2 é") && !both.covers(merchant: "M,2 e\u{301}") && !both.covers(merchant: "M"))
        #expect(one.rights == [.payments, .read] && one.covers(merchant: "M1") && !one.covers(merchant: "M2"))
    }

    @Test("A file that everybody may read is refused")
    func exposed() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("shop \(Self.token)\n", to: "tokens")
        #expect(chmod(path, 0o644) == 0)
        let error = #expect(throws: FileError.self) { try AccessTokens(readingFile: path) }
        #expect(error?.problem.contains("chmod o= \(path)") == true)
        #expect(chmod(path, 0o640) == 0)
        _ = try AccessTokens(readingFile: path)
    }

    @Test("A byte order mark and line ends of Windows belong to no name and no token")
    func windows() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("\u{FEFF}shop \(Self.token)\r\n", to: "tokens")
        #expect(chmod(path, 0o640) == 0)
        #expect(
            try AccessTokens(readingFile: path).verdict(on: "Bearer \(Self.token)") == .admitted(.init(name: "shop")))
    }
}
