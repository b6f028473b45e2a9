import CSndFile
import Glibc
import SoundboxCore
import Testing
import VoiceTestSupport

@testable import SoundboxAudio
@testable import SoundboxVoice

@Suite("Writing a WAV file")
struct WAVFileSinkTests {
    let folder: SoundFolder
    let path: String

    init() throws {
        folder = try SoundFolder()
        path = folder.path(of: "out.wav")
    }

    private func bytes(_ samples: [Int16]) -> [UInt8] {
        samples.flatMap { sample in withUnsafeBytes(of: sample.littleEndian) { Array($0) } }
    }

    /// A little-endian number of 32 bits in a header.
    private func number(in file: [UInt8], at offset: Int) -> Int {
        file[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private func samples() throws -> [Int16] { try AudioFile(reading: path).recording.pcm16 }

    /// Writes as a whole announcement does.
    private func play(_ samples: [Int16], on sink: WAVFileSink) throws {
        _ = try sink.open()
        try sink.write(bytes(samples))
        try sink.drain()
    }

    @Test("What is written is in the file, in the format asked for")
    func content() throws {
        let sink = WAVFileSink(path: path)
        #expect(try sink.open() == .mono48kHz)
        try sink.write(bytes([1, -2, .max]))
        try sink.write(bytes([.min, 5]))
        try sink.drain()
        sink.close()
        #expect(try samples() == [1, -2, .max, .min, 5])
        let file = try AudioFile(reading: path)
        #expect(file.recording.sampleRate == 48_000 && file.channelCount == 1)
    }

    @Test("After every write the file is whole, should the process be killed then")
    func killed() throws {
        let sink = WAVFileSink(path: path)
        _ = try sink.open()
        let period = bytes([Int16](repeating: 7, count: 960))
        for count in 1...60 {
            try sink.write(period)
            // Exactly what a killed process leaves: nothing but what the kernel has.
            let file = try folder.bytes(of: "out.wav")
            #expect(file.count == 44 + count * 1920)
            #expect(number(in: file, at: 4) == 36 + count * 1920, "RIFF size")
            #expect(number(in: file, at: 40) == count * 1920, "data size")
        }
    }

    @Test("Overwriting empties what was there, once; after it was closed the sink goes on with its own")
    func overwrite() throws {
        try folder.write([9, 9, 9, 9], to: "out.wav", sampleRate: 8000, format: SF_FORMAT_WAV | SF_FORMAT_PCM_16)
        let sink = WAVFileSink(path: path)
        try play([1, 2], on: sink)
        try play([3], on: sink)
        sink.close()
        try play([4], on: sink)
        #expect(try samples() == [1, 2, 3, 4])
    }

    @Test("Appending creates the file, and continues it the next time")
    func append() throws {
        for sample: Int16 in 1...3 {
            let sink = WAVFileSink(path: path, mode: .append)
            try play([sample], on: sink)
            sink.close()
        }
        #expect(try samples() == [1, 2, 3])
    }

    @Test("Appending takes an empty file for none")
    func appendToEmpty() throws {
        try folder.write("".utf8, to: "out.wav")
        try play([1], on: WAVFileSink(path: path, mode: .append))
        #expect(try samples() == [1])
    }

    /// Frames that were written when the header was not yet: a part of one, and what could be taken for a chunk, with a
    /// name and without.
    @Test(
        "Appending goes on after the last whole period of a file whose writer was killed",
        arguments: [[7, 7, 7, 7, 7], [0xE8, 3, 0xE8, 3, 8, 0, 8, 0], Array("abcdabcd".utf8)])
    func appendAfterKill(remains: [UInt8]) throws {
        let sink = WAVFileSink(path: path)
        try play([1, 2], on: sink)
        sink.close()
        try folder.write(try folder.bytes(of: "out.wav") + remains, to: "out.wav")
        try play([3, 4, 5, 6], on: WAVFileSink(path: path, mode: .append))
        #expect(try samples() == [1, 2, 3, 4, 5, 6])
    }

    @Test("Appending refuses another format, names both, and leaves the file alone")
    func appendToOtherFormat() throws {
        try folder.write([1, 2, 3, 4], to: "out.wav", channelCount: 2, format: SF_FORMAT_WAV | SF_FORMAT_PCM_16)
        let before = try folder.bytes(of: "out.wav")
        let sink = WAVFileSink(path: path, mode: .append)
        let error = try #require(throws: AudioSinkError.self) { try sink.open() }
        guard case .unsupportedFormat(device: path, let reason) = error else {
            Issue.record("expected .unsupportedFormat, found \(error)")
            return
        }
        #expect(reason.contains("22050 Hz, channels: 2") && reason.contains("48000 Hz, channels: 1"))
        #expect(try folder.bytes(of: "out.wav") == before)
    }

    @Test("Appending refuses FLAC and text, and leaves them alone")
    func appendToOtherKind() throws {
        try folder.write([1, 2], to: "out.wav", sampleRate: 48_000)
        let flac = try folder.bytes(of: "out.wav")
        for content in [flac, Array("takings of today\n".utf8)] {
            try folder.write(content, to: "out.wav")
            #expect(throws: AudioSinkError.self) { try WAVFileSink(path: path, mode: .append).open() }
            #expect(try folder.bytes(of: "out.wav") == content)
        }
    }

    @Test("A file that cannot be is told with its name and the system's reason")
    func unavailable() {
        let absent = folder.path(of: "absent/out.wav")
        #expect(throws: AudioSinkError.unavailable(device: absent, reason: "No such file or directory")) {
            try WAVFileSink(path: absent).open()
        }
        #expect(throws: AudioSinkError.unavailable(device: folder.path, reason: "Is a directory")) {
            try WAVFileSink(path: folder.path).open()
        }
    }

    @Test("Writing before opening, and half a frame, are errors; the sink can be opened again")
    func misuse() throws {
        let sink = WAVFileSink(path: path)
        #expect(throws: AudioSinkError.writeFailed(device: path, reason: "it is not open")) {
            try sink.write([0, 0])
        }
        try play([1], on: sink)
        #expect(throws: AudioSinkError.self) { try sink.write([1, 2, 3]) }
        try play([2], on: sink)
        #expect(try samples() == [1, 2])
    }

    @Test("A file of 4 GiB is full: the last frames that fit are kept, the next are refused")
    func full() throws {
        let most = WAVFile.mostBytes / 2 * 2
        let sink = WAVFileSink(path: path)
        try play([1], on: sink)
        sink.close()
        // A file with a hole takes no space on the disk.
        var header = Array(try folder.bytes(of: "out.wav").prefix(44))
        func put(_ value: Int, at offset: Int) {
            for byte in 0..<4 { header[offset + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte)) }
        }
        put(36 + most - 2, at: 4)
        put(most - 2, at: 40)
        try folder.write(header, to: "out.wav")
        try #require(truncate(path, off_t(44 + most - 2)) == 0)

        let full = WAVFileSink(path: path, mode: .append)
        try play([5], on: full)
        #expect(
            throws: AudioSinkError.writeFailed(device: path, reason: "it is full: a WAV file ends at 4 GiB")
        ) { try full.write([6, 0]) }
        let file = try SoundFile(reading: path)
        #expect(file.frameCount == most / 2)
    }

    @Test(
        "Every encoding that a card may ask for is recorded",
        arguments: [
            (SampleEncoding.int16, [0x00, 0xC0]), (.int24Packed, [0x00, 0x00, 0xC0]),
            (.int24, [0x00, 0x00, 0xC0, 0xFF]), (.int32, [0x00, 0x00, 0x00, 0xC0]),
            (.float32, [0x00, 0x00, 0x00, 0xBF]),
        ] as [(SampleEncoding, [UInt8])])
    func encodings(encoding: SampleEncoding, minusHalf: [UInt8]) throws {
        let format = PCMFormat(sampleRate: 44_100, channelCount: 2, encoding: encoding, framesPerPeriod: 441)
        let silence = [UInt8](repeating: 0, count: format.bytesPerFrame)
        for _ in 1...2 {
            let sink = WAVFileSink(path: path, mode: .append, format: format)
            #expect(try sink.open() == format)
            try sink.write(minusHalf + minusHalf + silence)
            sink.close()
        }
        let file = try AudioFile(reading: path)
        #expect(file.channelCount == 2 && file.recording.sampleRate == 44_100)
        #expect(file.recording.samples == [-0.5, 0, -0.5, 0])
    }
}
