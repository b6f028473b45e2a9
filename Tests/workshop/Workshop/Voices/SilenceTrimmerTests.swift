import Testing
import VoiceTestSupport

@testable import SoundboxVoice
@testable import SoundboxWorkshop

@Suite("Trimming silence")
struct SilenceTrimmerTests {
    private let trimmer = SilenceTrimmer(lead: .milliseconds(10), tail: .milliseconds(20))
    private let word = Recording.tone(lasting: .milliseconds(300))

    private func milliseconds(_ recording: Recording) -> Int { recording.samples.count * 1000 / recording.sampleRate }

    @Test("Long silence on either side becomes the margins")
    func longSilence() throws {
        let trimmed = try trimmer.trimmed(
            .silence(lasting: .seconds(1)) + word + .silence(lasting: .milliseconds(600)))
        #expect((329...330).contains(milliseconds(trimmed)))
    }

    @Test("A recording without any margin gets one")
    func noSilence() throws {
        #expect((329...330).contains(milliseconds(try trimmer.trimmed(word))))
    }

    @Test("The sound itself is untouched; the margins start and end at zero")
    func untouched() throws {
        let noise = Recording.tone(100, amplitude: 0.002, lasting: .milliseconds(100))
        let recording = noise + word + noise
        let trimmed = try trimmer.trimmed(recording)
        let sound = try #require(trimmer.sound(in: recording))
        let lead = recording.frames(in: trimmer.lead)
        #expect(trimmed.samples[lead..<lead + sound.count] == recording.samples[sound])
        #expect(trimmed.samples.first == 0 && trimmed.samples.last == 0)
    }

    @Test("Silence within the sound stays")
    func pause() throws {
        let trimmed = try trimmer.trimmed(word + .silence(lasting: .milliseconds(400)) + word)
        #expect((1029...1030).contains(milliseconds(trimmed)))
    }

    @Test("Trimming what is trimmed changes nothing")
    func twice() throws {
        let once = try trimmer.trimmed(word)
        #expect(try trimmer.trimmed(once).samples.count == once.samples.count)
    }

    @Test("Nothing but silence is refused by name")
    func nothing() {
        #expect(throws: RecordingError.unusable(file: "tone", reason: "nothing in it is louder than -50.0 dBFS")) {
            try trimmer.trimmed(.tone(amplitude: 0.001, lasting: .seconds(1)))
        }
    }

    @Test("An offset is removed from the word and from the silence around it, and the silence is then found")
    func offset() throws {
        var lifted = Recording.silence(lasting: .milliseconds(500)) + word + .silence(lasting: .milliseconds(500))
        lifted.samples = lifted.samples.map { $0 + 0.1 }
        let centred = lifted.removingOffset()
        #expect(abs(centred.offset) < 0.000_1)
        #expect((320...360).contains(milliseconds(try trimmer.trimmed(centred))))
    }

    @Test("A lopsided word does not lift the silence around it")
    func lopsided() throws {
        var word = word
        word.samples = word.samples.map { max($0, 0) }
        let recording = (word + .silence(lasting: .milliseconds(500))).removingOffset()
        #expect(milliseconds(try trimmer.trimmed(recording)) < 370)
    }
}
