import SoundboxCore
import SoundboxSystem

/// Remembers across restarts what the box was set to from afar.
package struct SettingsFile: Sendable {
    let path: String

    package init(inStateDirectory folder: String) { path = StateDirectory.settingsPath(in: folder) }

    /// `nil` when there is none. Blocks on the disk.
    /// - Throws: when what is there cannot be read, or is not what was written: `soundbox.yaml` then counts alone.
    package func read() throws(FileError) -> SettingsRecord? {
        guard SmallFile.exists(path) else { return nil }
        let bytes: [UInt8]
        // Three settings of 8 KiB each, in JSON that escapes every character.
        do { bytes = try SmallFile.bytes(ofRegularFile: path, limit: 256 << 10) } catch {
            throw FileError(path: path, problem: "cannot be read: \(error)")
        }
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        guard lines.count == 2, Self.sum(lines[0]) == Array(lines[1]),
            let record = (try? JSONValue(parsing: Array(lines[0]))).flatMap(SettingsRecord.init(decoding:))
        else { throw FileError(path: path, problem: "is damaged") }
        return record
    }

    /// A bit that has turned over in a locale or a volume leaves JSON that makes sense.
    private static func sum(_ line: ArraySlice<UInt8>) -> [UInt8] {
        Array(SHA256.hash(of: Array(line)).hexadecimal.utf8)
    }

    /// Replaces the file as a whole: after a power cut it holds the old record or the new one. Blocks on the disk.
    package func write(_ record: SettingsRecord) throws(FileError) {
        let line = record.json.text
        let sum = String(decoding: Self.sum(Array(line.utf8)[...]), as: UTF8.self)
        try SmallFile.replace(path, with: "\(line)\n\(sum)\n", mode: 0o640, owner: nil)
    }
}
