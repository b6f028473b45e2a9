import Glibc

/// The folder that holds the voices, one sub-folder per locale.
public struct VoiceFolder: Sendable {
    public let path: String

    public init(path: String) {
        self.path = path
    }

    /// The locales that have a `voice.yaml`, sorted. Blocks on the disk.
    public var locales: [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var locales: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.first != ".", access("\(path)/\(name)/voice.yaml", R_OK) == 0 { locales.append(name) }
        }
        return locales.sorted()
    }

    /// Opens the voice of one locale. Blocks on the disk.
    public func voice(_ locale: String) throws(VoiceError) -> Voice {
        // A locale is a folder's name and never a way out of the folder.
        guard !locale.contains("/"), locales.contains(locale) else {
            throw .notFound(locale: locale, directory: path, available: locales)
        }
        return try Voice(directory: "\(path)/\(locale)")
    }
}
