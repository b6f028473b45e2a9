import CSndFile
import Glibc
import SoundboxCore
import SoundboxSystem

/// Owns one open libsndfile handle and closes it exactly once. All calls of the library are here.
///
/// Every call may block on the disk. libsndfile does not buffer uncompressed files: the kernel has what
/// ``writeRaw(_:)`` has taken.
package struct SoundFile: ~Copyable {
    private let handle: OpaquePointer
    private let path: String
    private let info: SF_INFO

    package var sampleRate: Int { Int(info.samplerate) }
    package var channelCount: Int { Int(info.channels) }
    /// Container and encoding as in `SF_FORMAT_…`.
    package var format: Int32 { info.format }
    /// The number of frames that the file's header claimed when it was opened.
    package var frameCount: Int { Int(info.frames) }

    /// Opens an existing file of any kind that libsndfile knows.
    ///
    /// - Parameter mayBeCutOff: whether a WAV may have less sound than its header says.
    package init(reading path: String, mayBeCutOff: Bool = true) throws(RecordingError) {
        let file: Int32
        do { file = try openFile(path, O_RDONLY) } catch { throw error.whileReading(path) }
        // libsndfile would report a disk error as "not a sound file".
        var byte: UInt8 = 0
        guard pread(file, &byte, 1, 0) >= 0 else {
            let error = OpenError(code: errno)
            close(file)
            throw error.whileReading(path)
        }
        try self.init(owning: file, path: path, mode: SFM_READ, info: SF_INFO(), mayBeCutOff: mayBeCutOff)
    }

    /// Creates a file or empties the existing one.
    package init(creating path: String, sampleRate: Int, channelCount: Int, format: Int32) throws(RecordingError) {
        var info = SF_INFO()
        info.samplerate = Int32(sampleRate)
        info.channels = Int32(channelCount)
        info.format = format
        let file: Int32
        do { file = try openFile(path, O_RDWR | O_CREAT | O_TRUNC) } catch {
            throw .unwritable(file: path, reason: error.reason)
        }
        try self.init(owning: file, path: path, mode: SFM_WRITE, info: info)
        // `writeRaw` bypasses the statistics that this chunk of float files would contain.
        sf_command(handle, Int32(SFC_SET_ADD_PEAK_CHUNK), nil, Int32(SF_FALSE))
    }

    /// Opens an existing file to append frames.
    package init(continuing path: String) throws(RecordingError) {
        let file: Int32
        do { file = try openFile(path, O_RDWR) } catch { throw .unwritable(file: path, reason: error.reason) }
        try self.init(owning: file, path: path, mode: SFM_RDWR, info: SF_INFO())
    }

    /// - Parameter file: a descriptor, closed by libsndfile, also when it fails.
    private init(
        owning file: Int32, path: String, mode: some BinaryInteger, info: SF_INFO, mayBeCutOff: Bool = true
    ) throws(RecordingError) {
        var info = info
        if let problem = RIFFChunks.problem(in: file, mayBeCutOff: mayBeCutOff) {
            close(file)
            throw .unreadable(file: path, reason: "a damaged WAV file: \(problem)")
        }
        let problem: String?
        do throws(SystemError) { problem = try OggPages.problem(in: file) } catch {
            close(file)
            throw OpenError(code: error.code).whileReading(path)
        }
        if let problem {
            close(file)
            throw .unreadable(file: path, reason: "a damaged Ogg file: \(problem)")
        }
        guard let handle = sf_open_fd(file, Int32(mode), &info, Int32(SF_TRUE)) else {
            // libsndfile keeps its reason in a variable that all threads share; this text says as much.
            guard Int32(mode) != Int32(SFM_WRITE) else {
                throw .unwritable(file: path, reason: "its header cannot be written; is the disk full?")
            }
            throw .unreadable(file: path, reason: "it is not a sound file, or a damaged one")
        }
        if Int32(mode) == Int32(SFM_RDWR), sf_seek(handle, 0, SEEK_END | Int32(SFM_WRITE)) < 0 {
            sf_close(handle)
            throw .unwritable(file: path, reason: "its end cannot be found")
        }
        (self.handle, self.path, self.info) = (handle, path, info)
    }

    deinit { sf_close(handle) }

    /// A format in words: "WAV (Microsoft), Signed 16 bit PCM, 48000 Hz, channels: 1".
    package static func description(_ format: Int32, _ sampleRate: Int, _ channelCount: Int) -> String {
        let names = [SF_FORMAT_TYPEMASK, SF_FORMAT_SUBMASK].map { mask in
            var info = SF_FORMAT_INFO(format: format & Int32(mask), name: nil, extension: nil)
            sf_command(nil, Int32(SFC_GET_FORMAT_INFO), &info, Int32(MemoryLayout<SF_FORMAT_INFO>.size))
            return info.name.map { String(cString: $0) } ?? "unknown"
        }
        return "\(names[0]), \(names[1]), \(sampleRate) Hz, channels: \(channelCount)"
    }

    /// A text in the file's metadata. Set it before the first frame is written.
    package var comment: String? {
        get { sf_get_string(handle, Int32(SF_STR_COMMENT)).map { String(cString: $0) } }
        nonmutating set { sf_set_string(handle, Int32(SF_STR_COMMENT), newValue ?? "") }
    }

    /// Fills `buffer` with interleaved samples, full scale at ±1.0, and returns the number of frames: fewer than asked
    /// for only at the end or where the file is damaged. Check ``error`` after each call: a damaged block of FLAC is
    /// replaced by silence, and the next call no longer reports the damage.
    package func readFrames(into buffer: inout [Float]) -> Int {
        Int(sf_readf_float(handle, &buffer, sf_count_t(buffer.count / channelCount)))
    }

    /// Whether the last error came from the disk, not from the file's content.
    package var diskFailed: Bool { sf_error(handle) == SF_ERR_SYSTEM }

    /// The last error; `nil` when there was none.
    package var error: String? {
        sf_error(handle) == SF_ERR_NO_ERROR ? nil : String(cString: sf_strerror(handle))
    }

    package func writeFrames(_ samples: [Int16]) throws(RecordingError) {
        let frames = sf_count_t(samples.count / channelCount)
        guard sf_writef_short(handle, samples, frames) == frames else { throw writeError }
    }

    /// Writes frames in the file's own encoding, then updates the header.
    package func writeRaw(_ frames: [UInt8]) throws(RecordingError) {
        let count = sf_count_t(frames.count)
        guard sf_write_raw(handle, frames, count) == count else { throw writeError }
        sf_command(handle, Int32(SFC_UPDATE_HEADER_NOW), nil, 0)
        guard error == nil else { throw writeError }
    }

    private var writeError: RecordingError {
        .unwritable(file: path, reason: error ?? "the disk took only a part")
    }
}

/// Why ``openFile(_:_:)`` failed, in words.
private struct OpenError: Error {
    let reason: String
    var isPassing = false

    init(reason: String) { self.reason = reason }

    /// - Parameter code: an `errno`.
    init(code: Int32) {
        reason = SystemError(code: code).description
        isPassing = RecordingError.isPassing(code)
    }

    func whileReading(_ path: String) -> RecordingError {
        isPassing ? .unavailable(file: path, reason: reason) : .unreadable(file: path, reason: reason)
    }
}

/// Opens a regular file; a pipe or a device would block or never end.
private func openFile(_ path: String, _ flags: Int32) throws(OpenError) -> Int32 {
    let file = open(path, flags | O_CLOEXEC | O_NONBLOCK, 0o644)
    guard file >= 0 else { throw OpenError(code: errno) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        close(file)
        throw OpenError(reason: "it is not a regular file")
    }
    return file
}
