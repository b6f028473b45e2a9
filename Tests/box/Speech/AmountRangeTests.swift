import SoundboxCore
import SoundboxSpeech
import TestSupport
import Testing

@Suite("Which elements of a script tell an amount")
struct AmountRangeTests {
    private let writer: ScriptWriter

    init() throws {
        writer = ScriptWriter(language: try Mandarin.language(), phrases: Mandarin.phrases())
    }

    /// The words of each amount in a script.
    private func amounts(_ script: AnnouncementScript) -> [String] {
        script.amountRanges.map { range in
            script.elements[range].map { element in
                if case .phrase(let index) = element { writer.phrases[index] } else { "" }
            }.joined()
        }
    }

    @Test("A payment's, a refund's and a repetition's amount, with its unit and nothing else")
    func one() throws {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<200 {
            let money = try Money(
                "\(Int.random(in: 0..<10_000_000, using: &random)).\(Int.random(in: 1...9, using: &random))", .CNY)
            let reading = try writer.language.reading(of: money)
            let payment = Utterance.payment(money, channel: "alipay")
            for utterance in [payment, .refund(money), .replay(payment)] {
                let script = try writer.exactScript(for: utterance)
                #expect(amounts(script) == [reading])
                for index in script.elements.indices {
                    let range = try #require(script.amountRanges.first)
                    let goesOn = index >= range.lowerBound && index < range.upperBound - 1
                    #expect(script.amountGoesOn(behind: index) == goesOn)
                }
            }
        }
    }

    @Test("A count and every total of a summary, each for itself")
    func several() throws {
        let totals = [try Money("12.5", .CNY), try Money("7", try #require(Currency("USD")))]
        let script = writer.script(for: .lateSummary(count: 23, totals: totals))
        let found = amounts(script)
        #expect(found.count == 3)
        #expect(Array(found.dropFirst()) == (try totals.map { try writer.language.reading(of: $0) }))
        for (last, next) in zip(script.amountRanges, script.amountRanges.dropFirst()) {
            #expect(last.upperBound <= next.lowerBound)
        }
    }

    @Test("Free text, and an announcement without its amount, tell none")
    func none() throws {
        #expect(try writer.script(ofText: "支付宝到账").amountRanges.isEmpty)
    }

    @Test("What follows another script keeps its amounts, and the first one's shortcoming counts")
    func followed() throws {
        let payment = try writer.exactScript(for: .payment(try Money("23", .CNY), channel: "alipay"))
        var text = AnnouncementScript(text: "三号桌", elements: [.sound(PCMSound(samples: [1, 2], sampleRate: 8000))])
        text.shortcoming = .missingPhrase("三")
        let whole = payment.followed(by: text, after: .milliseconds(400))
        #expect(whole.elements == payment.elements + [.pause(.milliseconds(400))] + text.elements)
        #expect(whole.amountRanges == payment.amountRanges)
        #expect(whole.shortcoming == nil)
        #expect(whole.text == "\(payment.text) 三号桌")
        let turned = text.followed(by: payment, after: .milliseconds(400))
        #expect(amounts(turned) == amounts(payment))
        #expect(
            AnnouncementScript(text: "", elements: []).followed(by: text, after: .seconds(1)).elements == text.elements)
    }

    @Test("Rests and empty sound are no words")
    func words() {
        let empty = PCMSound(samples: [], sampleRate: 8000)
        #expect(!AnnouncementScript(text: "", elements: [.pause(.seconds(1)), .sound(empty)]).hasWords)
        #expect(AnnouncementScript(text: "", elements: [.phrase(0)]).hasWords)
    }
}
