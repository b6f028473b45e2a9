import SoundboxCore
import SoundboxSystem

/// Remembers across restarts the moment that it cannot be earlier than: a box without a clock battery starts in the past.
package struct TimeFile: Sendable {
    let path: String

    package init(path: String) { self.path = path }

    /// `nil` when nothing readable is there. Blocks on the disk.
    package func read() -> Timestamp? {
        guard let bytes = try? SmallFile.bytes(ofRegularFile: path, limit: 64) else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        guard lines.count == 2, lines[0] == lines[1] else { return nil }
        return Timestamp(rfc3339: String(lines[0]))
    }

    /// Twice, since one bit of a worn card could make it a time from which on every signed payment is too old.
    ///
    /// Replaces the file as a whole: after a power cut it holds the old time or the new one. Blocks on the disk.
    package func write(_ time: Timestamp) throws(FileError) {
        try SmallFile.replace(path, with: "\(time)\n\(time)\n", mode: 0o640, owner: nil)
    }
}
