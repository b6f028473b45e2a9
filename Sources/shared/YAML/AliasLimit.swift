import Glibc

/// Refuses a text whose aliases, expanded, could make it longer than any file that is read.
///
/// A text of 200 bytes with lists of aliases could fill any memory when expanded. Yams shares an alias's value, but
/// walks through all of it as soon as one is in a mapping's key, which would take years.
func checkAliases(of text: String, limit: Int) throws(AliasError) {
    let bytes = Array(text.utf8)
    let anchors = Set(names(after: UInt8(ascii: "&"), in: bytes))
    guard !anchors.isEmpty else { return }
    let aliases = names(after: UInt8(ascii: "*"), in: bytes).filter(anchors.contains)
    // Lists of three aliases, each to the list before, make the most copies: of numbers with a given sum, threes have
    // the largest product.
    let copies = pow(3, Double(aliases.count) / 3)
    guard copies * Double(bytes.count) > Double(limit) else { return }
    throw AliasError(count: aliases.count)
}

struct AliasError: Error {
    let count: Int
}

/// Words behind a mark, as libyaml delimits the names of anchors and aliases. Marks inside quoted text count too, which
/// is harmless unless an anchor has the same name.
private func names(after mark: UInt8, in bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    bytes.split(separator: mark, omittingEmptySubsequences: false).dropFirst()
        .map { $0.prefix(while: isOfName) }.filter { !$0.isEmpty }
}

private func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
    default: false
    }
}
