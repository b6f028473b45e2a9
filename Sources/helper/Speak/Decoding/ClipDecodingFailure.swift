/// Why a file cannot be decoded. The descriptions are for people.
public enum ClipDecodingFailure: Error, Sendable, CustomStringConvertible {
    case noSoundFile
    case damaged
    case unexpectedFormat
    case tooLong
    case empty

    public var description: String {
        switch self {
        case .noSoundFile: "expected WAV, FLAC, Ogg Vorbis, Ogg Opus or MP3"
        case .damaged: "it is damaged, or its length is not what its header says"
        case .unexpectedFormat: "expected 8,000–48,000 Hz and one or two channels"
        case .tooLong: "it lasts longer than allowed"
        case .empty: "it holds no sound"
        }
    }
}
