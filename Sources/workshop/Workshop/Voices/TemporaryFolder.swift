import Glibc
import SoundboxSystem
import SoundboxVoice

/// A temporary folder under `$TMPDIR` (`/tmp`), removed with its files when it goes out of scope. For plain files only.
struct TemporaryFolder: ~Copyable {
    let path: String

    init() throws(RecordingError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/soundbox-voice-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw .unwritable(file: parent, reason: SystemError.last.description)
        }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        for name in (try? fileNames(in: path)) ?? [] { unlink("\(path)/\(name)") }
        rmdir(path)
    }
}

/// The names in a folder, sorted by bytes, without hidden files.
func fileNames(in folder: String) throws(RecordingError) -> [String] {
    let names: [String]
    do { names = try SmallFile.names(in: folder) } catch { throw .unreadable(file: folder, reason: "\(error)") }
    return names.filter { !$0.hasPrefix(".") }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
}
