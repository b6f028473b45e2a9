import SoundboxCore

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
