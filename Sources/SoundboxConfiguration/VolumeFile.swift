import SoundboxCore
import SoundboxSystem
import Synchronization

/// Remembers the volume across restarts.
package struct VolumeFile: Sendable {
    let path: String

    package init(path: String) {
        self.path = path
    }

    /// `nil` when nothing readable is there: the configured volume then counts. Blocks on the disk.
    package func read() -> Volume? {
        guard let bytes = try? SmallFile.bytes(ofRegularFile: path, limit: 16) else { return nil }
        return Int(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)).map(Volume.init)
    }

    /// Replaces the file as a whole: after a power cut it holds the old volume or the new one. Blocks on the disk.
    package func write(_ volume: Volume) throws(FileError) {
        try Self.writing.withLock { _ throws(FileError) in
            try SmallFile.replace(path, with: "\(volume.level)\n", mode: 0o640, owner: nil)
        }
    }

    /// Settings from afar and a change at the box write it, each on a thread of its own.
    private static let writing = Mutex(())
}
