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
        let expected = name.map { AccessTokens.Verdict.admitted($0) } ?? .unknown
        #expect(try tokens().verdict(on: header) == expected)
    }

    @Test("Each token has a rate of its own, and gets its turn again as time passes")
    func rate() throws {
        let time = Mutex(Duration.zero)
        let tokens = try AccessTokens("shop \(Self.token)\nother \(Self.token)2") { time.withLock { $0 } }
        for _ in 0..<AccessTokens.requestsPerSecond {
            #expect(tokens.verdict(on: "Bearer \(Self.token)") == .admitted("shop"))
        }
        #expect(tokens.verdict(on: "Bearer \(Self.token)") == .tooFast("shop"))
        #expect(tokens.verdict(on: "Bearer \(Self.token)2") == .admitted("other"))
        time.withLock { $0 = .seconds(1) }
        #expect(tokens.verdict(on: "Bearer \(Self.token)") == .admitted("shop"))
    }

    @Test(
        "A file is refused with its line, and never with a token",
        arguments: [
            ("shop", 1, "a name, a blank and a token"), ("\nshop short", 2, "at least 32"),
            ("a \(token)\nb \(token)", 2, "twice"), ("a \(token)\na \(token)2", 2, "twice"),
            ("# nothing", nil, "no token"),
        ] as [(String, Int?, String)])
    func wrong(text: String, line: Int?, problem: String) {
        let error = #expect(throws: AccessTokenError.self) { try AccessTokens(text) }
        #expect(error?.line == line)
        #expect(error?.problem.contains(problem) == true)
        #expect(error?.problem.contains(Self.token) == false)
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
        #expect(try AccessTokens(readingFile: path).verdict(on: "Bearer \(Self.token)") == .admitted("shop"))
    }
}
