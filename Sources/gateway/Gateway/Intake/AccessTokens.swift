import SoundboxCore
import SoundboxSystem

/// Who may do what: bearer tokens from a file, each with a rate of its own.
///
///     # name and token; then what it may, and for whom
///     shop-system 2Zb7…
///     till 9fQk… merchant=M1001,M1002 rights=payments
///
/// Any thread; never blocks.
package final class AccessTokens: Sendable {
    package enum Verdict: Sendable, Equatable {
        case admitted(Access)
        /// With the token's name.
        case tooFast(String)
        case unknown
    }

    /// What a token may do.
    package struct Access: Sendable, Equatable {
        /// The raw value is the word in the file.
        package enum Right: String, CaseIterable, Sendable {
            /// To post payments.
            case payments
            /// To ask for payments and boxes.
            case read
            /// To send commands to boxes.
            case commands
        }

        package var name: String
        /// `nil`: of every merchant.
        package var merchants: [String]?
        /// A token that is stolen where payments are posted must not move a box's volume.
        package var rights: Set<Right> = [.payments, .read]

        package init(name: String) { self.name = name }

        /// By its bytes, as the broker compares topics.
        package func covers(merchant: String) -> Bool {
            merchants?.contains { $0.utf8.elementsEqual(merchant.utf8) } ?? true
        }
    }

    /// 32 characters of base64 are 24 bytes.
    static let fewestCharacters = 32

    /// By the SHA-256 of the token: looking one up takes as long for any two that are wrong.
    private let accesses: [[UInt8]: Access]
    private let rates: [String: RateLimit]

    /// Twice and a half of what one process is made for.
    static let requestsPerSecond = 500

    static func rate(now: @escaping @Sendable () -> Duration = { .monotonicNow }) -> RateLimit {
        RateLimit(limit: requestsPerSecond, per: .seconds(1), now: now)
    }

    /// - Parameters:
    ///   - text: lines of a name and a token, and what it may. Empty ones, and those that begin with `#`, are skipped.
    ///   - now: a monotonic clock.
    /// - Throws: what is wrong, with the line; never a token.
    package init(
        _ text: String, now: @escaping @Sendable () -> Duration = { .monotonicNow }
    ) throws(AccessTokenError) {
        var accesses: [[UInt8]: Access] = [:]
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            func error(_ problem: String) -> AccessTokenError { AccessTokenError(line: index + 1, problem: problem) }
            let words = line.split { $0 == " " || $0 == "\t" }
            guard let name = words.first, !name.hasPrefix("#") else { continue }
            guard words.count >= 2 else { throw error("expected a name, a blank and a token") }
            guard words[1].utf8.count >= Self.fewestCharacters, words[1].utf8.allSatisfy({ (0x21...0x7E).contains($0) })
            else {
                throw error(
                    "a token has at least \(Self.fewestCharacters) printable characters; make one with: openssl rand -hex 24"
                )
            }
            guard !accesses.values.contains(where: { $0.name == name }) else { throw error("the name is there twice") }
            var access = Access(name: String(name))
            if let problem = access.read(words.dropFirst(2)) { throw error(problem) }
            guard accesses.updateValue(access, forKey: SHA256.hash(of: Array(words[1].utf8))) == nil else {
                throw error("the token is there twice")
            }
        }
        guard !accesses.isEmpty else { throw AccessTokenError(line: nil, problem: "it has no token") }
        self.accesses = accesses
        rates = Dictionary(uniqueKeysWithValues: accesses.values.map { ($0.name, Self.rate(now: now)) })
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
            let access = accesses[SHA256.hash(of: Array(header[blank...].utf8.drop { $0 == UInt8(ascii: " ") }))]
        else { return .unknown }
        return rates[access.name]?.take() == nil ? .tooFast(access.name) : .admitted(access)
    }
}

extension AccessTokens.Access {
    /// Reads `merchant=M1001,M1002` and `rights=payments,read`, as they stand behind a token.
    ///
    /// - Returns: what is wrong, which may be a part of a token; it is not in it.
    fileprivate mutating func read(_ words: some Sequence<Substring>) -> String? {
        var keys: Set<Substring> = []
        for word in words {
            let sides = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, ["merchant", "rights"].contains(sides[0]) else {
                return "behind the token: expected merchant=… or rights=…"
            }
            guard keys.insert(sides[0]).inserted else { return "\(sides[0]) is there twice" }
            let values = sides[1].split(separator: ",", omittingEmptySubsequences: false)
            if sides[0] == "rights" {
                let read = values.compactMap { Right(rawValue: String($0)) }
                guard read.count == values.count else {
                    return
                        "rights: expected \(Right.allCases.map(\.rawValue).joined(separator: ", ")), with commas between"
                }
                rights = Set(read)
            } else {
                var merchants: [String] = []
                for value in values {
                    guard let bytes = PercentEncoding.decoded(value.utf8),
                        let id = String(validating: bytes, as: UTF8.self)
                    else { return "merchant: expected percent-encoded UTF-8" }
                    do { _ = try BoxID(merchant: id, device: "device") } catch { return "merchant: \(error.problem)" }
                    merchants.append(id)
                }
                self.merchants = merchants
            }
        }
        return nil
    }
}

package struct AccessTokenError: Error, Equatable {
    package var line: Int?
    package var problem: String
}
