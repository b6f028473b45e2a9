import Testing
import VoiceTestSupport

@testable import SoundboxVoice
@testable import SoundboxWorkshop

@Suite("Cutting a take at its silences")
struct TakeSplitterTests {
    private let splitter = TakeSplitter()

    @Test("Each phrase is found where it begins and ends")
    func clean() throws {
        let phrases = try splitter.phrases(in: .take(of: [300, 400, 500]))
        try #require(phrases.count == 3)
        for (phrase, expected) in zip(phrases, [1000, 2350, 3700]) {
            #expect((expected - 15...expected).contains(phrase.lowerBound * 1000 / 22_050))
        }
        #expect(phrases.allSatisfy { (345...375).contains($0.count * 1000 / 22_050) })
    }

    @Test("The noise of a room does not matter, soft or loud", arguments: [-80.0, -60, -50, -45, -38])
    func noise(level: Double) throws {
        let take = Recording.take(of: [300, 400, 500, 600])
        let noisy = take.mixed(with: .noise(level: level, lasting: take.duration))
        let phrases = try splitter.phrases(in: noisy)
        #expect(phrases.count == 4 && phrases.allSatisfy { (340...380).contains($0.count * 1000 / 22_050) })
    }

    @Test("Neither does a humming line, nor a microphone that lies off zero")
    func hum() throws {
        let take = Recording.take(of: [300, 400, 500])
        var humming = take.mixed(with: .tone(50, amplitude: 0.01, lasting: take.duration))
        humming.samples = humming.samples.map { $0 + 0.05 }
        #expect(try splitter.phrases(in: humming.removingOffset()).count == 3)
    }

    @Test("Clicks in the silence are no phrases, and do not cut it in halves", arguments: [1, 2])
    func clicks(count: Int) throws {
        let click = Recording.tone(2000, amplitude: 0.5, lasting: .milliseconds(8))
        let half = Recording.silence(lasting: .milliseconds(450))
        let clicks = (1..<count).reduce(click) { sum, _ in sum + .silence(lasting: .milliseconds(90)) + click }
        let word = Recording.tone(300, lasting: .milliseconds(350))
        let take = half + clicks + half + word + half + clicks + half + word + half + clicks
        let noisy = take.mixed(with: .noise(level: -60, lasting: take.duration))
        #expect(try splitter.phrases(in: noisy).count == 2)
    }

    @Test("The closure before the last consonant of \"eight\" cuts nothing off")
    func plosive() throws {
        let eight =
            Recording.tone(300, lasting: .milliseconds(250)) + .silence(lasting: .milliseconds(90))
            + .noise(level: -20, lasting: .milliseconds(25))
        let rest = Recording.silence(lasting: .seconds(1))
        let phrases = try splitter.phrases(in: rest + eight + rest + eight + rest)
        #expect(phrases.count == 2 && phrases.allSatisfy { (360...385).contains($0.count * 1000 / 22_050) })
    }

    @Test("The pause that separates phrases can be set, and one that fits is found")
    func pause() throws {
        let take = Recording.take(of: [300, 400, 500], pause: .milliseconds(400))
        #expect(try splitter.phrases(in: take).count == 1)
        #expect(try TakeSplitter(pause: .milliseconds(300)).phrases(in: take).count == 3)
        let better = try #require(try splitter.pause(thatGives: 3, in: take))
        #expect(try TakeSplitter(pause: better).phrases(in: take).count == 3)
        #expect(try splitter.pause(thatGives: 7, in: take) == nil)
    }

    @Test("A soft phrase beside a loud one counts, and a breath does not")
    func softness() throws {
        let rest = Recording.silence(lasting: .seconds(1))
        let take =
            rest + .tone(300, amplitude: 0.5, lasting: .milliseconds(400)) + rest
            + .noise(level: -62, lasting: .milliseconds(300)) + rest
            + .tone(300, amplitude: 0.05, lasting: .milliseconds(400)) + rest
        let phrases = try splitter.phrases(in: take)
        try #require(phrases.count == 2)
        #expect(phrases[1].contains(22_050 * 39 / 10))
    }

    @Test("A take of nothing, and one that drowns in noise, are refused by name")
    func useless() {
        #expect(throws: RecordingError.unusable(file: "tone", reason: "nothing in it is louder than -50.0 dBFS")) {
            try splitter.phrases(in: .silence(lasting: .seconds(3)))
        }
        let take = Recording.take(of: [300, 400], amplitude: 0.05)
        let error = #expect(throws: RecordingError.self) {
            try splitter.phrases(in: take.mixed(with: .noise(level: -34, lasting: take.duration)))
        }
        #expect(error?.reason.hasPrefix("its noise lies only ") == true)
    }

    @Test("A recording of one phrase without any silence is found whole")
    func alone() throws {
        let word = Recording.tone(300, lasting: .milliseconds(300))
        let sound = try #require(splitter.sound(in: word))
        // A sine begins with a sample of zero.
        #expect(sound == 1..<word.samples.count)
        #expect(splitter.sound(in: .silence(lasting: .seconds(1))) == nil)
    }

    @Test("The noise around a single phrase is cut off", arguments: [-80.0, -45, -35])
    func single(level: Double) throws {
        let word = Recording.take(of: [300], pause: .milliseconds(400))
        let sound = try #require(
            splitter.sound(in: word.mixed(with: .noise(level: level, lasting: word.duration))))
        #expect((340...380).contains(sound.count * 1000 / 22_050))
    }
}
