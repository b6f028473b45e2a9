import SoundboxCore
import SoundboxSystem

/// Who may post payments: bearer tokens from a file, each with a rate of its own.
///
///     # name and token, one pair a line
///     shop-system 2Zb7…
///
/// Any thread; never blocks.
package final class AccessTokens: Sendable {
    package enum Verdict: Sendable, Equatable {
        /// Of the token with this name.
        case admitted(String)
        case tooFast(String)
        case unknown
    }

    /// 32 characters of base64 are 24 bytes.
    static let fewestCharacters = 32

    /// By the SHA-256 of the token: looking one up takes as long for any two that are wrong.
    private let names: [[UInt8]: String]
    private let rates: [String: RateLimit]

    /// Twice and a half of what one process is made for.
    static let requestsPerSecond = 500

    static func rate(now: @escaping @Sendable () -> Duration = { .monotonicNow }) -> RateLimit {
        RateLimit(limit: requestsPerSecond, per: .seconds(1), now: now)
    }

    /// - Parameters:
    ///   - text: lines of a name and a token. Empty ones, and those that begin with `#`, are skipped.
    ///   - now: a monotonic clock.
    /// - Throws: what is wrong, with the line; never a token.
    package init(
        _ text: String, now: @escaping @Sendable () -> Duration = { .monotonicNow }
    ) throws(AccessTokenError) {
        var names: [[UInt8]: String] = [:]
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            func error(_ problem: String) -> AccessTokenError { AccessTokenError(line: index + 1, problem: problem) }
            let words = line.split { $0 == " " || $0 == "\t" }
            guard let name = words.first, !name.hasPrefix("#") else { continue }
            guard words.count == 2 else { throw error("expected a name, a blank and a token") }
            guard words[1].utf8.count >= Self.fewestCharacters, words[1].utf8.allSatisfy({ (0x21...0x7E).contains($0) })
            else {
                throw error(
                    "a token has at least \(Self.fewestCharacters) printable characters; make one with: openssl rand -hex 24"
                )
            }
            guard !names.values.contains(String(name)) else { throw error("the name is there twice") }
            guard names.updateValue(String(name), forKey: SHA256.hash(of: Array(words[1].utf8))) == nil else {
                throw error("the token is there twice")
            }
        }
        guard !names.isEmpty else { throw AccessTokenError(line: nil, problem: "it has no token") }
        self.names = names
        rates = Dictionary(uniqueKeysWithValues: names.values.map { ($0, Self.rate(now: now)) })
    }

    /// Reads a file that its owner and group alone may read. Blocks on the disk.
    /// - Throws: ``FileError``, with the line where it is one's.
    package convenience init(readingFile path: String) throws {
        let text: String
        do { text = try SecretFile(content: "tokens", path: path).text() } catch {
            throw FileError(path: path, problem: error.reason)
        }
        do throws(AccessTokenError) { try self.init(text) } catch {
            throw FileError(path: error.line.map { "\(path):\($0)" } ?? path, problem: error.problem)
        }
    }

    /// - Parameter header: the request's `Authorization`.
    package func verdict(on header: String?) -> Verdict {
        guard let header, header.utf8.count <= 4096, let blank = header.firstIndex(of: " "),
            header[..<blank].lowercased() == "bearer",
            let name = names[SHA256.hash(of: Array(header[blank...].utf8.drop { $0 == UInt8(ascii: " ") }))]
        else { return .unknown }
        return rates[name]?.take() == nil ? .tooFast(name) : .admitted(name)
    }
}

package struct AccessTokenError: Error, Equatable {
    package var line: Int?
    package var problem: String
}
