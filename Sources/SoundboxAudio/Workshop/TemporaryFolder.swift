import Glibc

/// A folder of our own under `$TMPDIR` (`/tmp`), removed with what is in it when it goes out of scope.
///
/// Holds plain files only.
struct TemporaryFolder: ~Copyable {
    let path: String

    init() throws(RecordingError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/soundbox-voice-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw .unwritable(file: parent, reason: String(cString: strerror(errno)))
        }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        for name in (try? fileNames(in: path)) ?? [] { unlink("\(path)/\(name)") }
        rmdir(path)
    }
}

/// The names in a folder, sorted by their bytes, without those that start with a dot.
func fileNames(in folder: String) throws(RecordingError) -> [String] {
    guard let directory = opendir(folder) else {
        throw .unreadable(file: folder, reason: String(cString: strerror(errno)))
    }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
}
