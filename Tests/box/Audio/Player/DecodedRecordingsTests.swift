import Glibc
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxTesting
import SoundboxVoice
import TestSupport
import Testing
import VoiceTestSupport

@testable import SoundboxAudio

@Suite("Recordings that are kept", .timeLimit(.minutes(10)))
struct DecodedRecordingsTests {
    private static let rate = 8000

    // MARK: The shelf

    private func sound(_ value: Int16, _ count: Int = 100) -> [Int16] { [Int16](repeating: value, count: count) }

    @Test("What was used last stays, and never more than the limit")
    func leastRecentlyUsed() {
        var shelf = RecordingShelf(mostBytes: 600)
        for number in 0..<3 { shelf.keep(sound(Int16(number)), of: .phrase(number), at: Self.rate) }
        #expect(shelf.samples(of: .phrase(0), at: Self.rate) == sound(0))
        shelf.keep(sound(3), of: .phrase(3), at: Self.rate)
        #expect(shelf.samples(of: .phrase(1), at: Self.rate) == nil)
        for number in [0, 2, 3] {
            #expect(shelf.samples(of: .phrase(number), at: Self.rate) == sound(Int16(number)))
        }
        #expect(shelf.bytes == 600)
        shelf.keep(sound(4, 250), of: .chime, at: Self.rate)
        #expect(shelf.samples(of: .chime, at: Self.rate) == sound(4, 250))
        #expect(shelf.bytes == 500)
    }

    @Test("A recording larger than all is not kept, one that is kept twice counts once, and a forgotten one not at all")
    func sizes() {
        var shelf = RecordingShelf(mostBytes: 600)
        shelf.keep(sound(1), of: .phrase(1), at: Self.rate)
        shelf.keep(sound(2, 301), of: .phrase(2), at: Self.rate)
        #expect(shelf.samples(of: .phrase(2), at: Self.rate) == nil)
        shelf.keep(sound(3), of: .phrase(1), at: Self.rate)
        #expect(shelf.samples(of: .phrase(1), at: Self.rate) == sound(3))
        #expect(shelf.bytes == 200)
        shelf.forget { $0 == .phrase(1) }
        #expect(shelf.samples(of: .phrase(1), at: Self.rate) == nil)
        #expect(shelf.bytes == 0)
    }

    @Test("Another rate gets nothing of the one before")
    func rates() {
        var shelf = RecordingShelf(mostBytes: 600)
        shelf.keep(sound(1), of: .chime, at: 44_100)
        #expect(shelf.samples(of: .chime, at: 48_000) == nil)
        shelf.keep(sound(2), of: .chime, at: 48_000)
        #expect(shelf.samples(of: .chime, at: 44_100) == nil)
        #expect(shelf.samples(of: .chime, at: 48_000) == sound(2))
        #expect(shelf.bytes == 200)
    }

    // MARK: Spoken from it

    private func scripts(_ count: Int) throws -> [AnnouncementScript] {
        let voice = try Voice.shipped()
        var random = SeededGenerator(seed: 53)
        return try (0..<count).map { _ in
            let (yuan, fen) = (Int.random(in: 0..<3000, using: &random), Int.random(in: 10...99, using: &random))
            return try voice.writer.exactScript(for: .payment(try Money("\(yuan).\(fen)", .CNY), channel: "alipay"))
        }
    }

    @Test(
        "Sentences are the same, sample by sample, whether nothing is kept, little that makes way all the time, or all",
        arguments: [0, 100_000, RecordingShelf.mostBytes])
    func sameSpeech(mostBytes: Int) throws {
        let voices = Voices(first: try Voice.shipped())
        let decoded = DecodedRecordings(mostBytes: mostBytes)
        for rate in [Self.rate, 48_000] {
            for script in try scripts(12) {
                var (words, plain) = (
                    Words(script, sampleRate: rate, decoded: decoded), Words(script, sampleRate: rate)
                )
                let speech = try words.joined(to: .zero, voices)
                let expected = try plain.joined(to: .zero, voices)
                #expect(speech.samples == expected.samples, "\(script.text) at \(rate)")
                #expect(speech.places == expected.places)
            }
        }
    }

    @Test("What was spoken once needs its files no more; what is left out does, once it is used again")
    func withoutFiles() async throws {
        let folder = try SoundFolder()
        let shipped = try Voice.shipped()
        let script = try #require(try scripts(1).first)
        var names = ["voice.yaml", "chime.opus"]
        for case .phrase(let index) in script.elements { names.append(shipped.fileName(ofRecording: index)) }
        let source = "\(shippedSounds)/zh-CN"
        for name in Set(names) {
            try folder.write(try SmallFile.bytes(of: "\(source)/\(name)", limit: 1 << 20), to: name)
        }
        let sink = RecordingSink()
        let whole = Voices(first: try Voice(directory: folder.path))
        let player = Player(sink: sink, voices: whole, volume: Volume(100))
        try await player.play(script)
        for name in Set(names) where name != "voice.yaml" { unlink(folder.path(of: name)) }
        try await player.play(script)
        #expect(sink.announcements.count == 2)
        #expect(sink.announcements.first == sink.announcements.last)

        let part = try #require(
            script.elements.lazy.compactMap { element -> Voice.Part? in
                if case .phrase(let index) = element { .phrase(index) } else { nil }
            }.first)
        var voice = try Voice(directory: folder.path)
        voice.leaveOut(part, because: .unreadable(file: "a file", reason: "it is damaged"))
        player.use(Voices(first: voice))
        player.use(whole)
        let error = await #expect(throws: PlayerError.self) { try await player.play(script) }
        guard case .recording(part, _) = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }

    // MARK: Joins

    /// The largest second difference in these frames: a click stands out in it, a wave does not.
    private func sharpest(_ samples: [Int16], _ frames: Range<Int>) -> Int {
        let inner = frames.clamped(to: 1..<samples.count - 1)
        return inner.reduce(0) { largest, frame in
            let (before, here, after) = (Int(samples[frame - 1]), Int(samples[frame]), Int(samples[frame + 1]))
            return max(largest, abs(before - 2 * here + after))
        }
    }

    @Test(
        "No join is sharper than the words beside it, and each last word is there to its end",
        arguments: [8000, 16_000, 44_100, 48_000])
    func joins(rate: Int) throws {
        let voices = Voices(first: try Voice.shipped())
        let decoded = DecodedRecordings(mostBytes: 1_000_000)
        let margin = rate / 50
        for script in try scripts(20) {
            var words = Words(script, sampleRate: rate, decoded: decoded)
            let speech = try words.joined(to: .milliseconds(100), voices)
            var joins: [Int] = []
            var inside = 0
            for place in speech.places {
                joins += [place.lowerBound, place.upperBound]
                guard place.count > 4 * margin else { continue }
                inside = max(
                    inside, sharpest(speech.samples, place.lowerBound + margin..<place.upperBound - margin))
            }
            let atJoins = joins.map { sharpest(speech.samples, $0 - margin..<$0 + margin) }.max() ?? 0
            #expect(atJoins <= inside, "\(script.text)")

            guard case .phrase(let last)? = script.elements.last(where: \.isPhrase) else { continue }
            let sound = try voices.samples(of: .phrase(last), at: rate)
            let end = try #require(speech.places.last { !$0.isEmpty }).upperBound
            // The last two milliseconds fade.
            let faded = rate / 500
            let kept = sound.dropLast(faded).suffix(sound.count / 2)
            #expect(speech.samples[..<(end - faded)].suffix(kept.count).elementsEqual(kept), "\(script.text)")
        }
    }

    @Test("A click at a join is seen by that measure")
    func plantedClick() throws {
        let script = try #require(try scripts(1).first)
        var words = Words(script, sampleRate: 48_000)
        var samples = try words.joined(to: .zero, Voices(first: try Voice.shipped())).samples
        let before = sharpest(samples, samples.indices)
        samples[samples.count / 2] = samples[samples.count / 2] > 0 ? -20_000 : 20_000
        #expect(sharpest(samples, samples.indices) > before)
    }
}

extension AnnouncementScript.Element {
    fileprivate var isPhrase: Bool { if case .phrase = self { true } else { false } }
}
