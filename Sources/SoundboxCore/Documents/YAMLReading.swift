/// One file while it is read. Its values share this object, and note here how they were read.
package final class YAMLReading {
    package let file: String
    /// Errors repeat no value, and no key that may be a secret in the wrong place.
    package let isConfidential: Bool
    /// Unknown and missing keys, and values that cannot be read, do not end the reading: for a file that is to be shown
    /// however wrong it is.
    let toleratesMistakes: Bool
    /// By the path of a mapping: its keys that the reader has asked for, in that order.
    package private(set) var asked: [[String]: [String]] = [:]
    /// The paths of mappings whose every key has been asked for.
    package internal(set) var finished: Set<[String]> = []
    /// Values that are no secrets.
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

/// A key that somebody has written. One that the file does not know may be a password in the wrong line. It is named
/// only if it is made of words that are no password: `pasword`, `signing_key`, `mqttPassword`, or what keys were called
/// before.
package struct KeyName {
    /// What people call secrets, and where they put them.
    private static let wordsForSecrets: Set<String> = [
        "api", "auth", "ca", "cert", "certificate", "credentials", "hmac", "key", "login", "mqtt", "name", "password",
        "passphrase", "passwd", "pin", "private", "psk", "public", "secret", "shared", "signing", "token", "user",
    ]

    /// Of keys that are there no longer.
    private static let formerWords: Set<String> = [
        "cache", "decimals", "excess", "group", "ids", "mixer", "prefix", "record", "timeout", "topic",
    ]

    private let name: String

    package init(_ name: String) { self.name = name }

    /// - Parameter names: the keys that the file has.
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

    /// In small letters, parted at capitals, underscores, hyphens, dots and blanks.
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
