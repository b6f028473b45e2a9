import CSndFile
import Glibc
import SoundboxSystem
import SoundboxVoice

/// A folder for the files of one test, removed with it.
package final class SoundFolder: Sendable {
    package let path: String

    package init() throws {
        var template = Array("/tmp/soundbox-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError.last }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        for name in (try? SmallFile.names(in: path)) ?? [] { unlink(path(of: name)) }
        rmdir(path)
    }

    package func path(of name: String) -> String { "\(path)/\(name)" }

    /// - Returns: the file's path.
    @discardableResult
    package func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
        guard let file = fopen(path(of: name), "we") else { throw SystemError.last }
        defer { fclose(file) }
        let bytes = Array(bytes)
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw SystemError.last }
        return path(of: name)
    }

    /// A person's sound file: interleaved samples in any format of libsndfile.
    /// - Returns: the file's path.
    @discardableResult
    package func write(
        _ samples: [Int16], to name: String, sampleRate: Int = 22_050, channelCount: Int = 1,
        format: Int = SF_FORMAT_FLAC | SF_FORMAT_PCM_16
    ) throws -> String {
        try SoundFile(
            creating: path(of: name), sampleRate: sampleRate, channelCount: channelCount, format: Int32(format)
        ).writeFrames(samples)
        return path(of: name)
    }

    package func bytes(of name: String) throws -> [UInt8] { try SmallFile.bytes(of: path(of: name), limit: 1 << 28) }

    /// Sorted.
    package var names: [String] { get throws { try SmallFile.names(in: path).sorted() } }
}

extension Recording {
    /// A sine, full scale at an amplitude of 1.
    package static func tone(
        _ frequency: Double = 997, amplitude: Double = 0.5, lasting duration: Duration, sampleRate: Int = 22_050
    ) -> Recording {
        var tone = Recording(name: "tone", sampleRate: sampleRate, samples: [])
        tone.samples = (0..<tone.frames(in: duration)).map { frame in
            Float(amplitude * sin(2 * .pi * frequency * Double(frame) / Double(sampleRate)))
        }
        return tone
    }

    package static func silence(lasting duration: Duration, sampleRate: Int = 22_050) -> Recording {
        tone(amplitude: 0, lasting: duration, sampleRate: sampleRate)
    }

    package static func + (left: Recording, right: Recording) -> Recording {
        Recording(name: left.name, sampleRate: left.sampleRate, samples: left.samples + right.samples)
    }
}

/// The folder of voices that ships with the box.
package let shippedSounds = #filePath.replacing(/\/Tests\/.*$/, with: "/sounds")
