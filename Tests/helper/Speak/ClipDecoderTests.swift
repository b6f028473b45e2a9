import CSndFile
import Glibc
import SoundboxCore
import TestSupport
import Testing
import VoiceTestSupport

@testable import SoundboxClips
@testable import SoundboxSpeak

@Suite("Hostile sound files, through the process that decodes", .timeLimit(.minutes(10)))
struct ClipDecoderTests {
    private let folder: SoundFolder

    init() throws { folder = try SoundFolder() }

    private func encoded(
        _ count: Int = 8000, rate: Int = 16_000, channels: Int = 1, format: Int = SF_FORMAT_WAV | SF_FORMAT_PCM_16
    ) throws -> [UInt8] {
        let samples = (0..<count * channels).map { Int16(8000 * sin(Double($0 / channels) * 0.2)) }
        try folder.write(samples, to: "clip", sampleRate: rate, channelCount: channels, format: format)
        return try folder.bytes(of: "clip")
    }

    private func decode(_ bytes: [UInt8], longest: Duration = .seconds(30)) async throws -> PCMSound {
        try await SpeakProgram().decode(bytes, longest: longest)
    }

    private func refusal(_ bytes: [UInt8], longest: Duration = .seconds(30)) async -> String {
        do throws(ClipError) {
            let sound = try await SpeakProgram().decode(bytes, longest: longest)
            return "\(sound.samples.count) samples"
        } catch {
            return error.reason
        }
    }

    @Test(
        "Every format that is promised is decoded behind the filter",
        arguments: [
            SF_FORMAT_WAV | SF_FORMAT_PCM_U8, SF_FORMAT_WAV | SF_FORMAT_PCM_16, SF_FORMAT_WAV | SF_FORMAT_PCM_24,
            SF_FORMAT_WAV | SF_FORMAT_FLOAT, SF_FORMAT_WAV | SF_FORMAT_ULAW, SF_FORMAT_FLAC | SF_FORMAT_PCM_16,
            SF_FORMAT_OGG | SF_FORMAT_VORBIS, SF_FORMAT_OGG | SF_FORMAT_OPUS, SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III,
        ], [1, 2])
    func formats(format: Int, channels: Int) async throws {
        let sound = try await decode(encoded(channels: channels, format: format))
        #expect(sound.sampleRate == 16_000 || sound.sampleRate == 48_000)
        let seconds = Double(sound.samples.count) / Double(sound.sampleRate)
        #expect((0.45...0.65).contains(seconds), "\(seconds)")
        #expect(sound.samples.contains { abs(Int($0)) > 4000 })
    }

    @Test(
        "Other formats are refused",
        arguments: [
            SF_FORMAT_AIFF | SF_FORMAT_PCM_16, SF_FORMAT_AU | SF_FORMAT_PCM_16, SF_FORMAT_WAV | SF_FORMAT_IMA_ADPCM,
            SF_FORMAT_WAV | SF_FORMAT_GSM610, SF_FORMAT_CAF | SF_FORMAT_ALAC_16, SF_FORMAT_RF64 | SF_FORMAT_PCM_16,
        ])
    func otherFormats(format: Int) async throws {
        #expect(await refusal(try encoded(format: format)) == ClipDecodingFailure.noSoundFile.description)
    }

    @Test("What is no sound at all is refused")
    func noSound() async throws {
        for bytes in [[], [0], Array("hello".utf8), Array("<html></html>".utf8), [UInt8](repeating: 0, count: 100_000)]
        {
            #expect(await refusal(bytes) == ClipDecodingFailure.noSoundFile.description)
        }
        var generator = SeededGenerator(seed: 128)
        for magic in ["", "RIFF\0\0\0\0WAVEfmt ", "fLaC", "OggS", "ID3", "\u{FF}\u{FB}"] {
            let bytes = Array(magic.utf8) + (0..<5000).map { _ in UInt8.random(in: 0...255, using: &generator) }
            #expect(await !refusal(bytes).contains("samples") || magic == "ID3")
        }
    }

    @Test("Rates and channels that no clip needs are refused")
    func rates() async throws {
        let expected = ClipDecodingFailure.unexpectedFormat.description
        #expect(await refusal(try encoded(rate: 192_000, channels: 8)) == expected)
        #expect(await refusal(try encoded(rate: 192_000)) == expected)
        #expect(await refusal(try encoded(rate: 4000)) == expected)
        #expect(await refusal(try encoded(channels: 3)) == expected)
    }

    @Test("One sample is a sound, none is not")
    func short() async throws {
        #expect(try await decode(encoded(1)).samples.count == 1)
        #expect(await refusal(try encoded(0)) == ClipDecodingFailure.empty.description)
    }

    @Test("Ten hours are refused: claimed, and really there")
    func long() async throws {
        var claims = try encoded()
        // The count of the data chunk: ten hours of 16 kHz. The file is as short as before.
        claims.replaceSubrange(40..<44, with: [0x00, 0x10, 0xA5, 0x44])
        #expect(await refusal(claims) == "8000 samples")
        let silence = try encoded(16_000 * 600, format: SF_FORMAT_FLAC | SF_FORMAT_PCM_16)
        #expect(await refusal(silence) == ClipDecodingFailure.tooLong.description)
        let vorbis = try encoded(16_000 * 40, format: SF_FORMAT_OGG | SF_FORMAT_VORBIS)
        #expect(await refusal(vorbis) == ClipDecodingFailure.tooLong.description)
        #expect(await refusal(try encoded(16_001), longest: .seconds(1)) == ClipDecodingFailure.tooLong.description)
        #expect(await refusal(try encoded(16_000), longest: .seconds(1)) == "16000 samples")
    }

    @Test("Files that are cut off, or whose chunks lie, end in a refusal or in what is there, and never hang")
    func lies() async throws {
        for format in [
            SF_FORMAT_WAV | SF_FORMAT_PCM_16, SF_FORMAT_FLAC | SF_FORMAT_PCM_16, SF_FORMAT_OGG | SF_FORMAT_VORBIS,
            SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III,
        ] {
            let whole = try encoded(format: format)
            for part in [10, 44, 100, whole.count / 2, whole.count - 1] {
                let answer = await refusal(Array(whole.prefix(part)))
                #expect(!answer.contains("signal") && !answer.contains("long"), "\(format) \(part): \(answer)")
            }
        }
        let flac = try encoded(format: SF_FORMAT_FLAC | SF_FORMAT_PCM_16)
        #expect(await refusal(Array(flac.prefix(flac.count / 2))) == ClipDecodingFailure.damaged.description)
        var list = try encoded()
        list.insert(contentsOf: Array("LIST".utf8) + [0xF0, 0xFF, 0xFF, 0xFF] + Array("INFO".utf8), at: 36)
        #expect(await refusal(list) == ClipDecodingFailure.damaged.description)
    }
}
