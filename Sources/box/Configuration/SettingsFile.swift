import SoundboxBox
import SoundboxCore
import SoundboxSystem

/// Stores the remote settings across restarts.
///
///     let file = SettingsFile(inStateDirectory: "/var/lib/soundbox")
///     try file.write(record)
///     let stored = try file.read()
package struct SettingsFile: Sendable {
    private let file: SummedLine
    var path: String { file.path }

    package init(inStateDirectory folder: String) {
        // Three settings of 8 KiB each, in JSON that escapes every character.
        file = SummedLine(path: StateDirectory.settingsPath(in: folder), limit: 256 << 10)
    }

    /// The stored settings; `nil` when there are none. Blocks on the disk.
    /// - Throws: when the file cannot be read, or is damaged. Then only `soundbox.yaml` counts.
    package func read() throws(FileError) -> SettingsRecord? {
        guard let line = try file.read() else { return nil }
        guard let record = (try? JSONValue(parsing: line)).flatMap(SettingsRecord.init(decoding:)) else {
            throw FileError(path: path, problem: "is damaged")
        }
        return record
    }

    /// Replaces the whole file: after a power cut it holds the old record or the new one. Blocks on the disk.
    package func write(_ record: SettingsRecord) throws(FileError) { try file.write(record.json.text) }
}
