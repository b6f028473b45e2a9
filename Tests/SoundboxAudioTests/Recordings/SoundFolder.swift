import CSndFile
import Glibc
import Testing

@testable import SoundboxAudio

/// A folder for the files of one test, removed with it.
final class SoundFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/soundbox-test-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        for name in (try? fileNames(in: path)) ?? [] { unlink(path(of: name)) }
        rmdir(path)
    }

    func path(of name: String) -> String { "\(path)/\(name)" }

    /// - Returns: the file's path.
    @discardableResult
    func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
        let file = try #require(fopen(path(of: name), "we"))
        defer { fclose(file) }
        let bytes = Array(bytes)
        try #require(fwrite(bytes, 1, bytes.count, file) == bytes.count)
        return path(of: name)
    }

    /// A person's sound file: interleaved samples in any format of libsndfile.
    /// - Returns: the file's path.
    @discardableResult
    func write(
        _ samples: [Int16], to name: String, sampleRate: Int = 22_050, channelCount: Int = 1,
        format: Int = SF_FORMAT_FLAC | SF_FORMAT_PCM_16
    ) throws -> String {
        try SoundFile(
            creating: path(of: name), sampleRate: sampleRate, channelCount: channelCount, format: Int32(format)
        ).writeFrames(samples)
        return path(of: name)
    }

    func bytes(of name: String) throws -> [UInt8] {
        let file = try #require(fopen(path(of: name), "re"))
        defer { fclose(file) }
        var status = stat()
        try #require(fstat(fileno(file), &status) == 0)
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        try #require(fread(&bytes, 1, bytes.count, file) == bytes.count)
        return bytes
    }
}

extension Recording {
    /// A sine, full scale at an amplitude of 1.
    static func tone(
        _ frequency: Double = 997, amplitude: Double = 0.5, lasting duration: Duration, sampleRate: Int = 22_050
    ) -> Recording {
        var tone = Recording(name: "tone", sampleRate: sampleRate, samples: [])
        tone.samples = (0..<tone.frames(in: duration)).map { frame in
            Float(amplitude * sin(2 * .pi * frequency * Double(frame) / Double(sampleRate)))
        }
        return tone
    }

    static func silence(lasting duration: Duration, sampleRate: Int = 22_050) -> Recording {
        tone(amplitude: 0, lasting: duration, sampleRate: sampleRate)
    }

    static func + (left: Recording, right: Recording) -> Recording {
        Recording(name: left.name, sampleRate: left.sampleRate, samples: left.samples + right.samples)
    }
}

/// The folder of voices that ships with the box.
let shippedSounds = {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    // …/Tests/SoundboxAudioTests/Recordings/SoundFolder.swift
    return parts.dropLast(4).joined(separator: "/") + "/sounds"
}()
