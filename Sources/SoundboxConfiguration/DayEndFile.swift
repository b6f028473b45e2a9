import SoundboxCore
import SoundboxSystem

/// Remembers across restarts which business day's takings were told last.
package struct DayEndFile: Sendable {
    let path: String

    package init(path: String) { self.path = path }

    /// `nil` when nothing readable is there. Blocks on the disk.
    package func read() -> CivilDate? {
        guard let bytes = try? SmallFile.bytes(ofRegularFile: path, limit: 64) else { return nil }
        return CivilDate(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }

    /// Replaces the file as a whole: after a power cut it holds the old day or the new one. Blocks on the disk.
    package func write(_ date: CivilDate) throws(FileError) {
        try SmallFile.replace(path, with: "\(date)\n", mode: 0o640, owner: nil)
    }
}
