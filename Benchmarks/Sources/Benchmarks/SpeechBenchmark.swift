import CICU
import SoundboxCore
import SoundboxSpeech
import SoundboxVoice

/// From an amount to the recordings that say it (spelling, unit, sentence, choice of recordings), beside what ICU takes
/// to spell the number alone. Processor time of the same amounts in the same run, the best of several rounds.
let speech = Benchmark(name: "speech") {
    let voices = VoiceFolder(path: #filePath.replacing(/\/Benchmarks\/Sources\/.*$/, with: "/sounds"))
    var figures: [Figure] = []
    for locale in voices.locales {
        let voice = try voices.voice(locale)
        for (kind, digits) in [("amounts of a shop", 1...6), ("up to 10¹⁵", 1...15)] {
            let figure = try SpeechMeasurement(voice, minorUnitDigits: digits).figure()
            figures.append(Figure("\(locale), \(kind)", figure))
        }
    }
    return figures
}

private struct SpeechMeasurement {
    private struct Sample {
        var utterance: Utterance
        var number: DecimalNumber
        var digits: String
        /// For ICU; `integer` where there are no decimals.
        var double: Double
        var integer: Int64?
    }

    private let voice: Voice
    private let icu: OpaquePointer
    private var samples: [Sample] = []

    /// - Parameter minorUnitDigits: as many amounts of each length, in minor units; every other one is whole.
    init(_ voice: Voice, minorUnitDigits: ClosedRange<Int>) throws {
        self.voice = voice
        let locale = voice.language.locale
        var code: Int32 = 0
        guard let icu = soundbox_icu_speller_open(locale.replacing("-", with: "_"), &code) else {
            throw BenchmarkError(description: "ICU cannot spell in \(locale)")
        }
        self.icu = icu
        let rules = Array("%spellout-cardinal".utf16)
        soundbox_icu_speller_set_rules(icu, rules, Int32(rules.count), &code)
        guard code <= 0 else { throw BenchmarkError(description: "ICU cannot spell in \(locale)") }
        guard let currency = voice.language.units.keys.sorted().first.flatMap({ Currency($0) }) else {
            throw BenchmarkError(description: "\(locale) has no currency")
        }
        let channel = voice.language.channels.keys.sorted().first
        var random = SystemRandomNumberGenerator()
        for round in 0..<30_000 {
            var limit: UInt64 = 10
            for _ in 1..<Int.random(in: minorUnitDigits, using: &random) { limit *= 10 }
            let units = UInt64.random(in: limit / 10..<limit, using: &random)
            let number = try DecimalNumber(minorUnits: units, exponent: round % 2 == 0 ? 0 : 2)
            let text = number.description
            samples.append(
                Sample(
                    utterance: .payment(Money(number, currency), channel: channel), number: number, digits: text,
                    double: Double(text) ?? 0, integer: number.decimals.isEmpty ? Int64(number.whole) : nil))
        }
    }

    /// Ours in nanoseconds, and as a part of ICU's: of the way from digits, which as ours is exact, and of its shortest.
    func figure() throws -> String {
        defer { soundbox_icu_speller_close(icu) }
        let cardinal = voice.language.cardinalRuleSet
        var text = [UInt16](repeating: 0, count: 1024)
        var code: Int32 = 0
        var script = Duration.seconds(1_000)
        var spelling = script
        var icuDigits = script
        var icuNumbers = script
        for _ in 0..<7 {
            script = try min(script, time { sample in voice.writer.script(for: sample.utterance).elements.count })
            spelling = try min(
                spelling, time { sample in try voice.language.numbers.spell(sample.number, with: cardinal).utf8.count })
            icuDigits = try min(
                icuDigits,
                time { sample in
                    Int(
                        soundbox_icu_spell_digits(
                            icu, sample.digits, Int32(sample.digits.utf8.count), &text, Int32(text.count), &code))
                })
            icuNumbers = try min(
                icuNumbers,
                time { sample in
                    guard let integer = sample.integer else {
                        return Int(soundbox_icu_spell_double(icu, sample.double, &text, Int32(text.count), &code))
                    }
                    return Int(soundbox_icu_spell_integer(icu, integer, &text, Int32(text.count), &code))
                })
        }
        func each(_ time: Duration) -> Int { Int((time.seconds / Double(samples.count) * 1e9).rounded()) }
        func percent(_ other: Duration) -> Int { Int((script / other * 100).rounded()) }
        return "\(each(script)) ns for the script (\(each(spelling)) ns for the number alone), "
            + "\(percent(icuDigits)) % of ICU's \(each(icuDigits)) ns from digits, "
            + "\(percent(icuNumbers)) % of its \(each(icuNumbers)) ns from int64 and double; "
            + "\(1_000_000_000 / max(each(script), 1)) amounts a second"
    }

    private func time(_ work: (Sample) throws -> Int) throws -> Duration {
        let start = Duration.processorTime
        var length = 0
        for sample in samples { length += try work(sample) }
        // What was made is looked at, so that no compiler leaves the making out.
        guard length > 0 else { throw BenchmarkError(description: "nothing was said") }
        return .processorTime - start
    }
}
