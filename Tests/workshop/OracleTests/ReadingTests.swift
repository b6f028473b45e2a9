import SoundboxCore
import SoundboxSpeech
import SoundboxVoice
import Testing

@Suite("The readings of every voice beside what its speakers expect")
struct ReadingTests {
    @Test("A voice reads amounts as its speakers do", arguments: shippedVoices.locales)
    func readings(locale: String) throws {
        let rows = try #require(ReadingTables.byLocale[locale], "no readings are written down for \(locale)")
        var language = try shippedVoices.speaking(locale, speaker: nil) { $0 }.prepared.language
        // Amounts with subunits differ in style from voice to voice; a number is the same in each.
        language.decimalStyle = .point
        for row in rows {
            let currency = try row.currency.map { try #require(Currency($0)) }
            let money = Money(try DecimalNumber(row.amount), currency ?? .CNY)
            #expect(try language.reading(of: money, withUnit: currency != nil) == row.reading, "\(locale): \(row)")
        }
    }
}
