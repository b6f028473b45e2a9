import Glibc
import SoundboxSystem

/// The names in a directory, in no order, or the system's reason why it cannot be read.
func fileNames(in directory: String) throws(SystemError) -> [String] {
    guard let stream = opendir(directory) else { throw SystemError(code: errno) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        names.append(name)
    }
    return names
}
