import CICU
import SoundboxCore

/// Numbers in words by ICU's rules for one locale. Use from one thread at a time: it has one buffer.
final class ICUSpeller {
    private let speller: OpaquePointer
    /// Longer than the longest number of any locale; a longer text is an error and is never cut.
    private var text = [UInt16](repeating: 0, count: 4096)

    /// - Parameters:
    ///   - locale: as ICU writes it: `zh_Hant`.
    ///   - ruleSet: with its percent sign: `%spellout-cardinal`.
    /// - Throws: ``ICUError`` for an unknown locale or set; it lists the known sets.
    init(locale: String, ruleSet: String) throws(ICUError) {
        var code: Int32 = 0
        guard let speller = soundbox_icu_speller_open(locale, &code) else {
            throw ICUError("ICU cannot spell in \(locale): \(ICUError.name(of: code))")
        }
        self.speller = speller
        // Without rules for a locale, ICU falls back to its root or to the user's own language.
        let language = locale.prefix { $0 != "_" }
        guard let actual = soundbox_icu_speller_actual_locale(speller, &code),
            String(cString: actual).prefix(while: { $0 != "_" }) == language
        else {
            throw ICUError(
                "ICU \(soundbox_icu_version()) has no rules for \(locale); expected a locale as ICU writes it, zh_Hant")
        }
        let name = Array(ruleSet.utf16)
        soundbox_icu_speller_set_rules(speller, name, Int32(name.count), &code)
        guard code <= 0 else {
            throw ICUError("ICU has no rule set \(ruleSet) for \(locale); expected one of \(publicSets())")
        }
    }

    deinit { soundbox_icu_speller_close(speller) }

    private func publicSets() -> String {
        var code: Int32 = 0
        let length = soundbox_icu_speller_rule_sets(speller, &text, Int32(text.count), &code)
        guard code <= 0, text.indices.contains(Int(length)) else { return "its own" }
        return String(utf16: text[..<Int(length)]).split(separator: ";").joined(separator: ", ")
    }

    /// - Parameter digits: plain decimal digits: `123.45`. ICU converts them to a double: up to 15 digits are exact.
    func spell(_ digits: String) throws(ICUError) -> String {
        var code: Int32 = 0
        let length = soundbox_icu_spell_digits(
            speller, digits, Int32(digits.utf8.count), &text, Int32(text.count), &code)
        try ICUError.check(code, "ICU cannot spell \(digits)")
        return String(utf16: text[..<Int(length)])
    }
}

/// An ICU regular expression with a replacement. Use from one thread at a time.
final class ICUReplacement {
    private let expression: OpaquePointer
    private let template: [UInt16]

    /// - Parameter template: `$1` stands for the first group.
    init(of pattern: String, with template: String) throws(ICUError) {
        self.template = Array(template.utf16)
        let pattern = Array(pattern.utf16)
        var code: Int32 = 0
        guard let expression = soundbox_icu_regex_open(pattern, Int32(pattern.count), &code) else {
            throw ICUError("not a regular expression of ICU: \(ICUError.name(of: code))")
        }
        self.expression = expression
    }

    deinit { soundbox_icu_regex_close(expression) }

    /// The text with every match replaced.
    func apply(to text: String) throws(ICUError) -> String {
        let text = Array(text.utf16)
        var code: Int32 = 0
        // Many times the longest number; a longer text is an error and is never cut.
        var result = [UInt16](repeating: 0, count: 4096)
        let length = soundbox_icu_regex_replace(
            expression, text, Int32(text.count), template, Int32(template.count), &result, Int32(result.count), &code)
        try ICUError.check(code, "ICU cannot replace in a text")
        return String(utf16: result[..<Int(length)])
    }
}

extension String {
    /// Faster than `String(decoding:as:)`, for which the standard library has no specialised code for UTF-16.
    fileprivate init(utf16: ArraySlice<UInt16>) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf16.count * 3)
        _ = transcode(utf16.makeIterator(), from: UTF16.self, to: UTF8.self, stoppingOnError: false) {
            bytes.append($0)
        }
        self.init(decoding: bytes, as: UTF8.self)
    }
}

/// An error of ICU.
public struct ICUError: Error, Sendable, Equatable, CustomStringConvertible {
    public var description: String
    init(_ description: String) { self.description = description }

    fileprivate static func name(of code: Int32) -> String { String(cString: soundbox_icu_error_name(code)) }

    /// - Parameter code: above zero a failure, below a warning.
    fileprivate static func check(_ code: Int32, _ problem: @autoclosure () -> String) throws(ICUError) {
        guard code > 0 else { return }
        throw ICUError("\(problem()): \(name(of: code))")
    }
}

/// The amounts that are compared with ICU: the same in every run and for every locale, each once.
enum OracleAmounts {
    struct Amount: Sendable {
        var number: DecimalNumber
        /// Plain digits, for ICU.
        var digits: String
    }

    static let all: [Amount] = {
        var seen: Set<DecimalNumber> = []
        var amounts: [Amount] = []
        func add(_ number: DecimalNumber?) -> Bool {
            guard let number, seen.insert(number).inserted else { return false }
            amounts.append(Amount(number: number, digits: number.description))
            return true
        }
        func add(upTo count: Int, _ next: () -> DecimalNumber?) {
            var added = 0
            while added < count { if add(next()) { added += 1 } }
        }

        for whole in UInt64(0)...9_999 { _ = add(try? DecimalNumber(whole: whole)) }
        for leading in UInt64(1)...999 {
            var round = leading * 10
            while round <= DecimalNumber.maximumWhole {
                _ = add(try? DecimalNumber(whole: round))
                round *= 10
            }
        }
        for cents in UInt64(1)...999 { _ = add(try? DecimalNumber(minorUnits: cents, exponent: 2)) }
        var random = RepeatableGenerator(state: 20_261_121)
        // All numbers of one to four digits are included; of each greater length, a sample.
        for length in 5...15 {
            add(upTo: 6_000) { try? DecimalNumber(whole: wholeNumber(ofLength: length, using: &random)) }
        }
        // ICU converts decimals to a double, which is exact to 15 digits.
        for places in 1...4 {
            add(upTo: 4_000) {
                let length = Int.random(in: 0...(15 - places), using: &random)
                return try? DecimalNumber(
                    whole: length == 0 ? 0 : wholeNumber(ofLength: length, using: &random),
                    decimals: (0..<places - 1).map { _ in UInt8.random(in: 0...9, using: &random) }
                        + [UInt8.random(in: 1...9, using: &random)])
            }
        }
        return amounts
    }()

    /// About half of the numbers have mostly zeros, where languages differ.
    private static func wholeNumber(ofLength length: Int, using random: inout RepeatableGenerator) -> UInt64 {
        let isSparse = Bool.random(using: &random)
        var number = UInt64.random(in: 1...9, using: &random)
        for _ in 1..<length {
            let isEmpty = isSparse && Int.random(in: 0..<4, using: &random) > 0
            number = number * 10 + (isEmpty ? 0 : UInt64.random(in: 0...9, using: &random))
        }
        return number
    }
}

/// SplitMix64: the same sequence for the same seed.
private struct RepeatableGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
