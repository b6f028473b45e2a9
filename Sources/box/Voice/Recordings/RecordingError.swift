import Glibc

/// Why a sound file could not be read, written, measured or made. Every case names the file.
public enum RecordingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file is no sound, or incomplete. It stays unusable until somebody replaces it.
    case unreadable(file: String, reason: String)
    /// The file cannot be read now, but perhaps later: see ``isPassing(_:)``.
    case unavailable(file: String, reason: String)
    /// The file cannot be created, or the disk is full. An existing file is not changed.
    case unwritable(file: String, reason: String)
    /// The file holds sound of another format than expected.
    case unexpectedFormat(file: String, expected: String, found: String)
    /// The sound itself cannot be used: silent, too long, or too peaky for the wanted loudness.
    case unusable(file: String, reason: String)
    /// The synthesiser failed.
    case synthesisFailed(file: String, reason: String)

    /// Whether the same file may be readable at the next attempt, without anybody changing it.
    public var isPassing: Bool {
        if case .unavailable = self { true } else { false }
    }

    /// Whether an error of a system call may be temporary: the process is short of descriptors or memory, the disk did
    /// not answer, or the folder is being replaced.
    static func isPassing(_ code: Int32) -> Bool {
        [EMFILE, ENFILE, ENOMEM, EIO, ENOENT, ENOTDIR, EACCES, ESTALE, EAGAIN, EINTR, ETIMEDOUT, ENODEV].contains(code)
    }

    /// What is wrong, without the file's name.
    public var reason: String {
        switch self {
        case .unreadable(_, let reason), .unavailable(_, let reason), .unwritable(_, let reason),
            .unusable(_, let reason), .synthesisFailed(_, let reason):
            reason
        case .unexpectedFormat(_, let expected, let found): "it holds \(found), expected \(expected)"
        }
    }

    public var description: String {
        switch self {
        case .unreadable(let file, let reason), .unavailable(let file, let reason):
            "cannot read recording \"\(file)\": \(reason)"
        case .unwritable(let file, let reason): "cannot write recording \"\(file)\": \(reason)"
        case .unexpectedFormat(let file, let expected, let found):
            "recording \"\(file)\" holds \(found), expected \(expected)"
        case .unusable(let file, let reason): "recording \"\(file)\" is of no use: \(reason)"
        case .synthesisFailed(let file, let reason): "cannot synthesise \"\(file)\": \(reason)"
        }
    }
}
