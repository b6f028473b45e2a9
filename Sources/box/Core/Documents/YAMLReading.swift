/// The state of reading one file. Its values share this object, and record here how they were read.
package final class YAMLReading {
    package let file: String
    /// Whether errors repeat no value, and no key that may be a secret in the wrong place.
    package let isConfidential: Bool
    /// Whether unknown and missing keys, and values that cannot be read, do not end the reading: for a file that must
    /// be shown even if it is wrong.
    let toleratesMistakes: Bool
    /// The keys that the reader has asked for, in that order, by the path of their mapping.
    package private(set) var asked: [[String]: [String]] = [:]
    /// The paths of mappings whose keys have all been asked for.
    package internal(set) var finished: Set<[String]> = []
    /// The paths of values that are no secrets.
    package internal(set) var shown: Set<[String]> = []

    package init(file: String, isConfidential: Bool, toleratesMistakes: Bool = false) {
        self.file = file
        self.isConfidential = isConfidential
        self.toleratesMistakes = toleratesMistakes
    }

    func ask(for key: String, in mapping: [String]) {
        if !isAsked(key, in: mapping) { asked[mapping, default: []].append(key) }
    }

    package func isAsked(_ key: String, in mapping: [String]) -> Bool { asked[mapping]?.contains(key) == true }
}

/// A key that somebody has written. An unknown key may be a password in the wrong line. It is named only if it consists
/// of words that are no password: `pasword`, `signing_key`, `mqttPassword`, or words of former keys.
package struct KeyName {
    /// Words for secrets and for where they are used.
    private static let wordsForSecrets: Set<String> = [
        "api", "auth", "ca", "cert", "certificate", "credentials", "hmac", "key", "login", "mqtt", "name", "password",
        "passphrase", "passwd", "pin", "private", "psk", "public", "secret", "shared", "signing", "token", "user",
    ]

    /// Words of keys that no longer exist.
    private static let formerWords: Set<String> = [
        "cache", "decimals", "excess", "group", "ids", "mixer", "prefix", "record", "timeout", "topic",
    ]

    private let name: String

    package init(_ name: String) { self.name = name }

    /// - Parameter names: the keys of the file.
    package func isMadeOf(wordsOf names: some Sequence<String>) -> Bool {
        let known = names.reduce(into: Self.wordsForSecrets.union(Self.formerWords)) { $0.formUnion(KeyName($1).words) }
        let words = words
        return !words.isEmpty
            && words.allSatisfy { word in
                let isWord = word.count > 3 && word.allSatisfy { ("a"..."z").contains($0) }
                let slips = word.count > 4 ? 2 : 1
                return known.contains(word) || isWord && known.contains { editDistance(word, $0) <= slips }
            }
    }

    /// In lower case, separated at capitals, underscores, hyphens, dots and spaces.
    private var words: [String] {
        var words = [""]
        for character in name {
            if "_-. ".contains(character) {
                words.append("")
            } else {
                if character.isUppercase, words.last?.last?.isLowercase == true { words.append("") }
                words[words.count - 1] += String(character)
            }
        }
        return words.map { $0.lowercased() }
    }
}
