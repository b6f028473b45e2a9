import Glibc
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import Synchronization
import TestSupport
import Testing
import VoiceTestSupport

@testable import SoundboxAudio
@testable import SoundboxVoice

@Suite("Announcements that end early", .timeLimit(.minutes(10)))
struct EarlyEndTests {
    private static let rate = 8000
    private let voice: Voice
    private let script: AnnouncementScript

    init() throws {
        voice = try Voice.shipped()
        script = try voice.writer.exactScript(for: .payment(try Money("123.45", .CNY), channel: "alipay"))
    }

    private func speech(_ script: AnnouncementScript, _ voices: Voices) throws -> Speech {
        var words = Words(script, sampleRate: Self.rate)
        return try words.joined(to: .milliseconds(500), voices)
    }

    // MARK: Where speech may end

    @Test("Speech never ends inside an amount, at no position of any script", arguments: ["zh-CN", "en-US", "hi-IN"])
    func neverInsideAnAmount(locale: String) throws {
        let folder = VoiceFolder(path: shippedSounds)
        guard folder.locales.contains(locale) else { return }
        let voices = Voices(first: try folder.voice(locale), others: [voice])
        var random = SeededGenerator(seed: 15)
        for _ in 0..<12 {
            let amount = try Money(
                "\(Int.random(in: 0..<1_000_000, using: &random)).\(Int.random(in: 10...99, using: &random))", .CNY)
            let payment = Utterance.payment(amount, channel: "alipay")
            for utterance in [payment, .refund(amount), .replay(payment), .today(count: 23, totals: [amount, amount])] {
                let script = voices.script(for: utterance)
                let speech = try speech(script, voices)
                #expect(!script.amountRanges.isEmpty)
                for place in stride(from: 0, to: speech.samples.count, by: 160) {
                    let end = speech.end(from: place)
                    #expect(end >= place)
                    for range in script.amountRanges {
                        let begin = range.lowerBound == 0 ? 0 : speech.elementEnds[range.lowerBound - 1]
                        let isInside = end > begin && end < speech.elementEnds[range.upperBound - 1]
                        #expect(!isInside, "\(script.text): \(place) ends at \(end)")
                    }
                }
            }
        }
    }

    @Test("It ends at the end of the word that sounds, in a rest at once, and behind the last word at once")
    func soonest() throws {
        let speech = try speech(script, Voices(first: voice))
        let first = speech.elementEnds[0]
        #expect(speech.end(from: 0) == 0)
        #expect(speech.end(from: 1) == first)
        // 支付宝到账, and then a rest.
        #expect(script.elements[1] == .pause(.milliseconds(160)))
        #expect(speech.end(from: first + 100) == first + 100)
        let last = try #require(speech.elementEnds.last)
        let amount = try #require(script.amountRanges.first)
        #expect(amount.upperBound == script.elements.count)
        #expect(speech.end(from: speech.elementEnds[amount.lowerBound - 1] + 1) == last)
        #expect(speech.end(from: last + 800) == last + 800)
    }

    @Test("Sound without words ends where it is quiet, or after half a second")
    func sound() throws {
        let loud = [Int16](repeating: 8000, count: 8000)
        let quiet = [Int16](repeating: 20, count: 400)
        let sound = PCMSound(samples: loud + quiet + loud, sampleRate: Self.rate)
        let speech = try speech(AnnouncementScript(text: "", elements: [.sound(sound)]), Voices(first: voice))
        #expect(speech.end(from: 1000) == 5000)
        #expect((8000...8400).contains(speech.end(from: 6000)))
        #expect(speech.end(from: 15_000) == 16_400)
    }

    @Test("Where two words overlap, the first one has ended when the overlap has")
    func overlaps() {
        let voiced = (0..<9600).map { Int16(9000 * ($0 / 120 % 2 == 0 ? 1 : -1)) }
        let splicer = Splicer(sampleRate: 48_000)
        let joined = splicer.spliced([.sound(voiced), .sound(voiced), .silence(100)])
        #expect(joined.places.count == 3)
        #expect(joined.places[0].upperBound < voiced.count)
        #expect(joined.samples.count - joined.places[1].upperBound == 100)
        #expect(joined.places[2].upperBound == joined.samples.count)
        #expect(splicer.spliced([.silence(5), .silence(7)]).places == [0..<5, 5..<12])
    }

    // MARK: Through the player

    /// Plays until so many periods are written, and has it end early then.
    private func played(endingAfter periods: Int?, _ delivery: Delivery = Delivery()) async throws -> (
        stream: [Int16], outcome: Player.Outcome
    ) {
        let end = EarlyEnd()
        if periods == 0 { end.raise() }
        let sink = WatchedSink { if $0 == periods { end.raise() } }
        let player = Player(sink: sink, voices: Voices(first: voice), volume: Volume(100))
        let outcome = try await player.play(script, delivery, until: end)
        return (sink.stream, outcome)
    }

    @Test("What was heard is the beginning of the whole, and it stops without a click")
    func prefix() async throws {
        let whole = try await played(endingAfter: nil).stream
        func largestStep(_ samples: some Collection<Int16>) -> Int {
            zip(samples, samples.dropFirst()).map { abs(Int($1) - Int($0)) }.max() ?? 0
        }
        let usual = largestStep(whole)
        for periods in stride(from: 1, to: whole.count / 960, by: 7) {
            let (stream, outcome) = try await played(endingAfter: periods)
            #expect(outcome == .stoppedEarly)
            let last = stream.lastIndex { $0 != 0 } ?? 0
            let fade = 8 * 48
            // Until 680 ms the tail of the chime lies under the words, and fades by itself.
            let same = periods < 34 ? periods * 960 : max(periods * 960, last - fade)
            #expect(stream[..<min(same, stream.count)].elementsEqual(whole[..<min(same, stream.count)]))
            #expect(largestStep(stream + [0]) <= usual)
            #expect(stream.count <= whole.count)
        }
    }

    @Test("A chime alone ends at once, and so does the silence after the last word")
    func chimeAndGap() async throws {
        let chime = try await played(endingAfter: 10)
        #expect(chime.stream.count == 11 * 960)
        #expect(chime.outcome == .stoppedEarly)
        let whole = try await played(endingAfter: nil)
        #expect(whole.outcome == .heard(.aloud))
        let gap = try await played(endingAfter: whole.stream.count / 960 - 10)
        #expect(gap.stream.count == whole.stream.count - 9 * 960)
    }

    @Test("One that is to end before it begins is not begun, and the next one is heard whole")
    func before() async throws {
        let sink = WatchedSink()
        let player = Player(sink: sink, voices: Voices(first: voice), volume: Volume(100))
        let end = EarlyEnd()
        end.raise()
        #expect(try await player.play(script, until: end) == .stoppedEarly)
        #expect(sink.stream.isEmpty)
        #expect(try await player.play(script) == .heard(.aloud))
    }

    // MARK: Sound that is no recording

    @Test(
        "Sound of another rate sounds for as long and at its pitch", arguments: [8000, 11_025, 22_050, 48_000, 96_000],
        [8000, 44_100, 48_000])
    func otherRates(rate: Int, deviceRate: Int) async throws {
        let tone = (0..<rate).map { Int16(8000 * sine(440 * Double($0) / Double(rate))) }
        let script = AnnouncementScript(text: "", elements: [.sound(PCMSound(samples: tone, sampleRate: rate))])
        let sink = WatchedSink(sampleRate: deviceRate)
        let player = Player(
            sink: sink, voices: Voices(first: voice), volume: Volume(100), timing: Timing(leadIn: .zero))
        #expect(try await player.play(script, Delivery(hasChime: false, gap: .zero)) == .heard(.aloud))
        let stream = sink.stream
        let sounding = (stream.lastIndex { $0 != 0 } ?? 0) - (stream.firstIndex { $0 != 0 } ?? 0)
        #expect(abs(sounding - deviceRate) < deviceRate / 100)
        let crossings = zip(stream, stream.dropFirst()).count { $0 < 0 && $1 >= 0 }
        #expect((436...442).contains(crossings))
    }
}

/// Of a phase in turns.
private func sine(_ turns: Double) -> Double { sin(turns * 2 * .pi) }
