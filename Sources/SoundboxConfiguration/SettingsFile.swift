import SoundboxCore
import SoundboxSystem

/// Remembers across restarts what the box was set to from afar.
package struct SettingsFile: Sendable {
    private let file: SummedLine
    var path: String { file.path }

    package init(inStateDirectory folder: String) {
        // Three settings of 8 KiB each, in JSON that escapes every character.
        file = SummedLine(path: StateDirectory.settingsPath(in: folder), limit: 256 << 10)
    }

    /// `nil` when there is none. Blocks on the disk.
    /// - Throws: when what is there cannot be read, or is not what was written: `soundbox.yaml` then counts alone.
    package func read() throws(FileError) -> SettingsRecord? {
        guard let line = try file.read() else { return nil }
        guard let record = (try? JSONValue(parsing: line)).flatMap(SettingsRecord.init(decoding:)) else {
            throw FileError(path: path, problem: "is damaged")
        }
        return record
    }

    /// Replaces the file as a whole: after a power cut it holds the old record or the new one. Blocks on the disk.
    package func write(_ record: SettingsRecord) throws(FileError) { try file.write(record.json.text) }
}
