import Glibc
import SoundboxCore
import SoundboxSystem
import SoundboxVoice
import Synchronization

/// Writes a WAV file, as fast as the disk takes it.
///
///     let sink = WAVFileSink(path: "/tmp/announcement.wav", mode: .append)
///     let format = try sink.open()
///     try sink.write([UInt8](repeating: 0, count: format.bytesPerPeriod))
///     sink.close()
///
/// The header is updated after every write, so the file is complete up to the last period whenever the process is
/// killed. The disk may block a write, and an interrupt does not end that wait.
public final class WAVFileSink: AudioSink, @unchecked Sendable {
    // Sendable by the port's promise: one thread calls everything but `interrupt`, which touches `isInterrupted` only.
    /// What to do with an existing file.
    public enum Mode: Sendable {
        /// It is emptied when the sink first opens. Later openings append to what the sink has written.
        case overwrite
        /// It is continued if it is a WAV file of the same format; any other file is refused and not changed.
        case append
    }

    private let path: String
    private let format: PCMFormat
    private var mode: Mode
    private var file: WAVFile?
    private let isInterrupted = Atomic(false)

    /// Touches no file; ``open()`` does.
    public init(path: String, mode: Mode = .overwrite, format: PCMFormat = .mono48kHz) {
        self.path = path
        self.mode = mode
        self.format = format
    }

    public func open() throws(AudioSinkError) -> PCMFormat {
        isInterrupted.store(false, ordering: .relaxed)
        if file != nil { return format }
        do throws(RecordingError) {
            if mode == .append, try isPresent(path) {
                file = try WAVFile(continuing: path, format: format)
            } else {
                file = try WAVFile(creating: path, format: format)
            }
        } catch .unexpectedFormat(_, let expected, let found) {
            throw .unsupportedFormat(
                device: path, reason: "the file is \(found) and cannot be continued as \(expected); move it away")
        } catch {
            throw .unavailable(device: path, reason: error.reason)
        }
        mode = .append
        return format
    }

    public func write(_ frames: [UInt8]) throws(AudioSinkError) {
        try check()
        guard file != nil else { throw .writeFailed(device: path, reason: "it is not open") }
        do { try file?.write(frames) } catch {
            file = nil
            throw .writeFailed(device: path, reason: error.reason)
        }
    }

    /// Returns at once: a file has no speaker to wait for.
    public func drain() throws(AudioSinkError) { try check() }

    public func interrupt() { isInterrupted.store(true, ordering: .relaxed) }

    public func close() {
        file = nil
    }

    private func check() throws(AudioSinkError) {
        guard isInterrupted.load(ordering: .relaxed) else { return }
        close()
        throw .interrupted
    }
}

/// Whether there is a file that is not empty.
private func isPresent(_ path: String) throws(RecordingError) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else {
        if errno == ENOENT { return false }
        throw .unreadable(file: path, reason: SystemError.last.description)
    }
    return status.st_size > 0
}
