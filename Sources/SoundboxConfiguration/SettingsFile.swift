import SoundboxCore
import SoundboxSystem

/// Remembers across restarts what the box was set to from afar.
package struct SettingsFile: Sendable {
    let path: String

    package init(inStateDirectory folder: String) { path = StateDirectory.settingsPath(in: folder) }

    /// `nil` when nothing readable is there: `soundbox.yaml` then counts alone. Blocks on the disk.
    package func read() -> SettingsRecord? {
        // Three settings of 8 KiB each, in JSON that escapes every character.
        guard let bytes = try? SmallFile.bytes(ofRegularFile: path, limit: 256 << 10),
            let json = try? JSONValue(parsing: bytes)
        else { return nil }
        return SettingsRecord(decoding: json)
    }

    /// Replaces the file as a whole: after a power cut it holds the old record or the new one. Blocks on the disk.
    package func write(_ record: SettingsRecord) throws(FileError) {
        try SmallFile.replace(path, with: "\(record.json.text)\n", mode: 0o640, owner: nil)
    }
}
