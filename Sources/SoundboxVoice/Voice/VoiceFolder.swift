import Glibc
import SoundboxSystem

/// The folder that holds the voices, one sub-folder per locale.
public struct VoiceFolder: Sendable {
    public let path: String

    public init(path: String) {
        self.path = path
    }

    /// The locales that have a `voice.yaml`, sorted. Blocks on the disk.
    public var locales: [String] {
        let names = (try? SmallFile.names(in: path)) ?? []
        return names.filter { $0.first != "." && access("\(path)/\($0)/voice.yaml", R_OK) == 0 }.sorted()
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
