import SoundboxCore
import SoundboxSystem

/// Remembers across restarts which session the box has at its broker.
package struct SessionFile: Sendable {
    let path: String

    package init(path: String) { self.path = path }

    /// `nil` when nothing readable is there. Blocks on the disk.
    package func read() -> SessionRecord? {
        guard let bytes = try? SmallFile.bytes(ofRegularFile: path, limit: 4096),
            let json = try? JSONValue(parsing: bytes)
        else { return nil }
        return SessionRecord(decoding: json)
    }

    /// Replaces the file as a whole: after a power cut it holds the old record or the new one. Blocks on the disk.
    package func write(_ record: SessionRecord) throws(FileError) {
        try SmallFile.replace(path, with: "\(record.json.text)\n", mode: 0o640, owner: nil)
    }
}
