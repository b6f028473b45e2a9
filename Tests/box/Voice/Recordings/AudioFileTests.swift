import CSndFile
import Foundation
import Glibc
import TestSupport
import Testing
import VoiceTestSupport

@testable import SoundboxVoice

@Suite("A sound file on disk")
struct AudioFileTests {
    let folder: SoundFolder

    init() throws { folder = try SoundFolder() }

    @Test("FLAC that is written comes back sample for sample")
    func roundTrip() throws {
        let tone = Recording.tone(lasting: .milliseconds(700))
        try AudioFile.writeFLAC(tone, to: folder.path(of: "tone.flac"), isSynthesized: true)
        let file = try AudioFile(reading: folder.path(of: "tone.flac"))
        #expect(file.format == .flac && file.channelCount == 1 && file.recording.sampleRate == 22_050)
        #expect(file.recording.pcm16 == tone.pcm16)
        #expect(try folder.names == ["tone.flac"])
    }

    @Test("A file made here is told from a person's")
    func mark() throws {
        let tone = Recording.tone(lasting: .milliseconds(100))
        try AudioFile.writeFLAC(tone, to: folder.path(of: "made.flac"), isSynthesized: true)
        #expect(try AudioFile(reading: folder.path(of: "made.flac")).isSynthesized)
        #expect(try !AudioFile(reading: folder.write(tone.pcm16, to: "person.flac")).isSynthesized)
    }

    @Test("The same recording makes the same bytes")
    func reproducible() throws {
        let tone = Recording.tone(lasting: .seconds(1))
        try AudioFile.writeFLAC(tone, to: folder.path(of: "one.flac"), isSynthesized: true)
        try AudioFile.writeFLAC(tone, to: folder.path(of: "two.flac"), isSynthesized: true)
        #expect(try folder.bytes(of: "one.flac") == folder.bytes(of: "two.flac"))
    }

    @Test("Channels are mixed to their mean")
    func stereo() throws {
        let path = try folder.write([1000, 3000, -2000, 0], to: "stereo.flac", channelCount: 2)
        let file = try AudioFile(reading: path)
        #expect(file.channelCount == 2)
        #expect(file.recording.pcm16 == [2000, -1000])
    }

    @Test("Every 16-bit sample, the lowest and the highest too, is the same after a round through float")
    func extremes() throws {
        let samples: [Int16] = [.min, -1, 0, 1, .max]
        #expect(try AudioFile(reading: folder.write(samples, to: "edges.flac")).recording.pcm16 == samples)
    }

    @Test("WAV is read, and is not FLAC")
    func wav() throws {
        let path = try folder.write([1, 2, 3], to: "sound.wav", format: SF_FORMAT_WAV | SF_FORMAT_PCM_16)
        let file = try AudioFile(reading: path)
        #expect(file.format == .wav && file.recording.pcm16 == [1, 2, 3])
    }

    @Test("Opus is read at the rate that it was made from, as long as it was", arguments: [8000, 24_000, 48_000])
    func opus(rate: Int) throws {
        let tone = Recording.tone(lasting: .milliseconds(731), sampleRate: rate)
        let path = try folder.write(
            tone.pcm16, to: "tone.opus", sampleRate: rate, format: SF_FORMAT_OGG | SF_FORMAT_OPUS)
        let file = try AudioFile(reading: path)
        #expect(file.format == .opus && file.recording.sampleRate == rate)
        #expect(file.recording.samples.count == tone.samples.count)
    }

    @Test("Of a recording in several formats Opus is played, then FLAC, then WAV")
    func order() throws {
        #expect(RecordingFormat.path(of: folder.path(of: "a")) == folder.path(of: "a.opus"))
        for name in ["a.wav", "a.flac", "a.opus"] {
            try folder.write("".utf8, to: name)
            #expect(RecordingFormat.path(of: folder.path(of: "a")) == folder.path(of: name))
        }
        #expect(RecordingFormat.stem(of: "yi1.flac") == "yi1" && RecordingFormat.stem(of: "voice.yaml") == nil)
    }

    @Test("A folder that cannot be written is named, and nothing is left behind")
    func unwritable() {
        let path = folder.path(of: "absent/tone.flac")
        #expect(throws: RecordingError.unwritable(file: path, reason: "No such file or directory")) {
            try AudioFile.writeFLAC(.tone(lasting: .milliseconds(100)), to: path, isSynthesized: true)
        }
    }
}

@Suite("A bad sound file is refused by name")
struct BadAudioFileTests {
    let folder: SoundFolder

    init() throws { folder = try SoundFolder() }

    private func error(reading path: String, limit: Duration = .seconds(300)) -> RecordingError? {
        #expect(throws: RecordingError.self) { try AudioFile(reading: path, limit: limit) }
    }

    @Test("one that does not exist")
    func absent() {
        let path = folder.path(of: "absent.flac")
        let error = error(reading: path)
        #expect(error == .unavailable(file: path, reason: "No such file or directory"))
        #expect(error?.isPassing == true)
    }

    @Test("one in a folder that is a file for now, and one for which no descriptor is left")
    func passing() throws {
        let file = try folder.write([Int16](repeating: 1, count: 900), to: "tone.flac")
        #expect(error(reading: "\(file)/tone.flac")?.isPassing == true)
        for code in [EMFILE, ENFILE, ENOENT, EIO, ENOMEM, EACCES, ESTALE, ENOTDIR] {
            #expect(RecordingError.isPassing(code))
        }
        for code in [ELOOP, ENAMETOOLONG, EISDIR] { #expect(!RecordingError.isPassing(code)) }
    }

    @Test("text, an empty file and half a header", arguments: ["hello, this is text\n", "", "fLaC"])
    func notSound(content: String) throws {
        let path = try folder.write(content.utf8, to: "text.flac")
        let reason = "it is not a sound file, or a damaged one"
        #expect(error(reading: path) == .unreadable(file: path, reason: reason))
    }

    @Test("FLAC that was cut off, wherever the cut lies")
    func truncated() throws {
        // Noise: a tone would shrink to a few bytes.
        let samples = (0..<600).map { _ in Int16.random(in: -9000...9000) }
        try folder.write(samples, to: "whole.flac")
        let whole = try folder.bytes(of: "whole.flac")
        var accepted: [Int] = []
        for length in 0..<whole.count {
            let path = try folder.write(whole.prefix(length), to: "cut.flac")
            if (try? AudioFile(reading: path)) != nil { accepted.append(length) }
        }
        #expect(accepted == [])
        let path = folder.path(of: "cut.flac")
        #expect(error(reading: path)?.description.hasPrefix("cannot read recording \"\(path)\": ") == true)
    }

    @Test(
        "One with a flipped bit, unless it sounds as it did: no syllable is ever silent without a word",
        arguments: [RecordingFormat.flac, .opus])
    func flippedBit(format: RecordingFormat) throws {
        let word = try AudioFile(reading: RecordingFormat.path(of: "\(shippedSounds)/zh-CN/yi4-bai3")).recording
        let path = try folder.write(
            word.pcm16, to: "whole", sampleRate: word.sampleRate,
            format: format == .opus ? SF_FORMAT_OGG | SF_FORMAT_OPUS : SF_FORMAT_FLAC | SF_FORMAT_PCM_16)
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let whole = try AudioFile(reading: path).recording.pcm16
        var random = SeededGenerator(seed: 17)
        var refused = 0
        // Behind what describes the file.
        for bit in (0..<60).map({ _ in Int.random(in: 512 * 8..<bytes.count * 8, using: &random) }) {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << (bit % 8)
            let file = try folder.write(damaged, to: "flipped.flac")
            guard let sound = try? AudioFile(reading: file) else {
                refused += 1
                continue
            }
            #expect(sound.recording.pcm16 == whole, "bit \(bit)")
        }
        #expect(refused > 30)
    }

    @Test("one that holds no sound", arguments: [SF_FORMAT_WAV, SF_FORMAT_FLAC])
    func empty(container: Int) throws {
        let path = try folder.write([], to: "empty", format: container | SF_FORMAT_PCM_16)
        #expect(error(reading: path)?.isPassing == false)
    }

    @Test("a folder and a pipe, without waiting for somebody to write into it")
    func notRegular() throws {
        let pipe = folder.path(of: "pipe.flac")
        try #require(mkfifo(pipe, 0o600) == 0)
        #expect(error(reading: pipe) == .unreadable(file: pipe, reason: "it is not a regular file"))
        #expect(error(reading: folder.path) == .unreadable(file: folder.path, reason: "it is not a regular file"))
    }

    @Test("one with more channels than anybody hears")
    func channels() throws {
        let path = try folder.write(
            [Int16](repeating: 1, count: 900), to: "nine.wav", channelCount: 9,
            format: SF_FORMAT_WAV | SF_FORMAT_PCM_16)
        let expected = "4,000–192,000 Hz and 1–8 channels"
        #expect(
            error(reading: path)
                == .unexpectedFormat(file: path, expected: expected, found: "22050 Hz and 9 channels"))
    }

    @Test("one that lasts longer than it may")
    func tooLong() throws {
        let path = try folder.write(Recording.tone(lasting: .seconds(2)).pcm16, to: "long.flac")
        let reason = "it lasts longer than \(Duration.seconds(1))"
        #expect(error(reading: path, limit: .seconds(1)) == .unusable(file: path, reason: reason))
    }

    @Test("float samples that are not numbers")
    func notNumbers() throws {
        let path = folder.path(of: "nan.wav")
        let bits = withUnsafeBytes(of: Float.nan.bitPattern.littleEndian) { Array($0) }
        try SoundFile(
            creating: path, sampleRate: 22_050, channelCount: 1, format: Int32(SF_FORMAT_WAV | SF_FORMAT_FLOAT)
        ).writeRaw(bits + bits)
        #expect(error(reading: path) == .unreadable(file: path, reason: "it holds samples that are not numbers"))
    }

    @Test("Every error's text names the file and what is wrong with it")
    func texts() {
        let errors: [RecordingError] = [
            .unreadable(file: "a.flac", reason: "because"), .unavailable(file: "a.flac", reason: "because"),
            .unwritable(file: "a.flac", reason: "because"),
            .unexpectedFormat(file: "a.flac", expected: "FLAC", found: "because"),
            .unusable(file: "a.flac", reason: "because"), .synthesisFailed(file: "a.flac", reason: "because"),
        ]
        for error in errors {
            #expect(error.description.contains("\"a.flac\"") && error.description.contains("because"))
            #expect(error.reason.contains("because") && !error.reason.contains("a.flac"))
        }
    }
}
