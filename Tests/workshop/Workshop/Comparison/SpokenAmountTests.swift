import SoundboxAudio
import SoundboxCore
import SoundboxSystem
import Testing
import VoiceTestSupport

@testable import SoundboxVoice
@testable import SoundboxWorkshop

@Suite("An amount that is looked at")
struct SpokenAmountTests {
    let folder: SoundFolder

    /// A voice that says "received", a rest, "one" and "yuan" as tones that are given.
    init() throws {
        folder = try SoundFolder()
        let text = VoiceSkeleton.firstVoice("en").replacing("chime: chime", with: "")
        try folder.write(text.utf8, to: "voice.yaml")
    }

    private func spoken(_ recordings: [String: Recording], loudspeaker: Loudspeaker = .full) async throws
        -> SpokenAmount
    {
        for (name, recording) in recordings {
            try AudioFile.writeFLAC(recording, to: folder.path(of: "\(name).flac"), isSynthesized: false)
        }
        let voice = try Voice(directory: folder.path)
        let renderer = SpeechRenderer(voice: voice, loudspeaker: loudspeaker)
        return try await SpokenAmount(try Money("1", .CNY), channel: nil, by: voice, renderer)
    }

    private func tone(_ frequency: Double, _ milliseconds: Int) -> Recording {
        .tone(frequency, lasting: .milliseconds(milliseconds), sampleRate: 24_000)
    }

    private func silence(_ milliseconds: Int) -> Recording {
        .silence(lasting: .milliseconds(milliseconds), sampleRate: 24_000)
    }

    @Test("Recordings that touch lie one behind the other, to the frame, with the samples of their files")
    func touching() async throws {
        let files = [
            "received": silence(20) + tone(500, 380), "one": silence(30) + tone(700, 270) + silence(70),
            "yuan": silence(50) + tone(900, 150) + silence(20),
        ]
        let spoken = try await spoken(files)
        #expect(spoken.text == "received, one yuan")
        #expect(spoken.parts.map(\.source?.words) == ["received", nil, "one", "yuan"])
        #expect(spoken.parts.map(\.source?.file) == ["received.flac", nil, "one.flac", "yuan.flac"])
        // A rest of 160 ms has the whole frames that fit.
        #expect(spoken.parts.map(\.frames) == [0..<9600, 9600..<13_439, 13_439..<22_319, 22_319..<27_599])
        for part in spoken.parts {
            guard let source = part.source else {
                #expect(spoken.recording.samples[part.frames].allSatisfy { $0 == 0 })
                continue
            }
            let name = try #require(RecordingFormat.stem(of: source.file))
            let file = try #require(files[name]).samples
            // But for the last two milliseconds, which fade.
            for (index, frame) in part.frames.enumerated().dropLast(48) {
                #expect(abs(spoken.recording.samples[frame] - file[index]) < 0.0002)
            }
        }
        #expect(spoken.joins.count == 1)
        #expect(spoken.joins[0].part == 2 && spoken.joins[0].overlap == 22_319..<22_319)
        #expect(spoken.joins[0].jump < -80)
        // 70 ms of silence, 50 more, and where the tones are still below −50 dBFS.
        #expect((2880..<2890).contains(spoken.joins[0].quiet.count))
    }

    @Test("Where voices overlap both parts have the frames of the overlap")
    func overlapping() async throws {
        let spoken = try await spoken([
            "received": tone(500, 380), "one": tone(500, 300), "yuan": tone(500, 200),
        ])
        let join = try #require(spoken.joins.first)
        #expect(join.quiet.count < 4)
        // 8 ms, as the mixer has it.
        #expect(join.overlap.count == 192)
        #expect(spoken.parts[2].frames.upperBound == join.overlap.upperBound)
        #expect(spoken.parts[3].frames.lowerBound == join.overlap.lowerBound)
        #expect(spoken.parts[3].frames.upperBound <= spoken.recording.samples.count)
        #expect(spoken.recording.samples.count - spoken.parts[3].frames.upperBound < 16)
        // A sine of 500 Hz at −6 dBFS goes by 0.065 from sample to sample.
        #expect((-26 ... -20).contains(join.jump))
    }

    @Test("Made fit for a small loudspeaker, parts lie where they are heard")
    func smallLoudspeaker() async throws {
        let files = [
            "received": silence(20) + tone(500, 380), "one": silence(30) + tone(700, 270) + silence(70),
            "yuan": silence(50) + tone(900, 150) + silence(20),
        ]
        let full = try await spoken(files)
        let small = try await spoken(files, loudspeaker: .small())
        let late = small.parts[0].frames.lowerBound
        #expect((1...120).contains(late))
        #expect(
            small.parts.map(\.frames) == full.parts.map { $0.frames.lowerBound + late..<$0.frames.upperBound + late })
        let one = small.parts[2].frames.lowerBound
        let onset = try #require((one..<one + 2400).first { abs(small.recording.samples[$0]) > 0.05 })
        #expect((one + 710...one + 740).contains(onset))
    }

    @Test("The sound on the page is a FLAC file with exactly these samples")
    func flac() async throws {
        let spoken = try await spoken(["received": tone(500, 380), "one": tone(700, 300), "yuan": tone(900, 200)])
        let path = try folder.write(spoken.flac, to: "page.flac")
        let file = try AudioFile(reading: path)
        #expect(file.format == .flac && file.recording.pcm16 == spoken.recording.pcm16)
    }
}
