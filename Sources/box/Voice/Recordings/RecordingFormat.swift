import CSndFile
import Glibc

/// The formats of a voice's recordings, in the order in which a recording is looked for. The raw value ends the file's
/// name.
public enum RecordingFormat: String, Sendable, CaseIterable {
    case opus, flac, wav

    /// The rates that Opus knows, in frames per second.
    private static let opusRates: Set<Int> = [8000, 12_000, 16_000, 24_000, 48_000]

    /// - Parameter format: container and encoding as in `SF_FORMAT_…`; `nil` for any other than these.
    init?(_ format: Int32) {
        switch (Int(format) & SF_FORMAT_TYPEMASK, Int(format) & SF_FORMAT_SUBMASK) {
        case (SF_FORMAT_OGG, SF_FORMAT_OPUS): self = .opus
        case (SF_FORMAT_FLAC, _): self = .flac
        case (SF_FORMAT_WAV, _), (SF_FORMAT_WAVEX, _): self = .wav
        default: return nil
        }
    }

    /// The format of a recording that is written at `sampleRate`: FLAC at rates that Opus does not have.
    package static func written(at sampleRate: Int) -> RecordingFormat {
        opusRates.contains(sampleRate) ? .opus : .flac
    }

    /// The file of the recording `stem`, a path without its ending; the Opus file when there is none. Blocks on the disk
    /// for a system call or three.
    package static func path(of stem: String) -> String {
        stem + ending(of: stem)
    }

    /// The ending of the file of the recording `stem`, with its dot.
    static func ending(of stem: String) -> String {
        for format in allCases {
            let ending = "." + format.rawValue
            if access(stem + ending, F_OK) == 0 { return ending }
        }
        return "." + opus.rawValue
    }

    /// The name of a recording without the ending of a format; `nil` for other files.
    package static func stem(of name: String) -> String? {
        allCases.first { name.hasSuffix("." + $0.rawValue) }.map { String(name.dropLast($0.rawValue.count + 1)) }
    }
}
