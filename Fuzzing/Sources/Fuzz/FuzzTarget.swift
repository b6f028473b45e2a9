/// One parser of foreign bytes, called with whatever libFuzzer thinks of.
///
/// A crash, a trap, a call that takes too long or too much memory, and a broken promise (`precondition`) each end the
/// process, and libFuzzer keeps the bytes that did it.
struct FuzzTarget: Sendable {
    /// Names the folder with its seeds in `Corpus/`.
    var name: String
    var run: @Sendable ([UInt8]) -> Void

    /// Every target there is. A new one is a file beside this one, a folder of seeds, and a line here.
    static let all = [notice, command, mapping, yaml, rules, sound, logline, clip, clipurl, broker]

    static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}
