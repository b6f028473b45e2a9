import SoundboxCore
import SoundboxSystem

/// Remembers the quiet hours that the shop has set itself across restarts, as the control socket's JSON has them.
package struct QuietHoursFile: Sendable {
    let path: String

    package init(path: String) { self.path = path }

    /// `nil` when nothing readable is there: those of the setup then count. Blocks on the disk.
    package func read() -> QuietChange? {
        guard let bytes = try? SmallFile.bytes(ofRegularFile: path, limit: 256),
            let json = try? JSONValue(parsing: bytes)
        else { return nil }
        return try? QuietChange(decoding: json)
    }

    /// Replaces the file as a whole; `nil` leaves it to the setup. Blocks on the disk.
    package func write(_ change: QuietChange?) throws(FileError) {
        try SmallFile.replace(path, with: "\((change ?? .asSetUp).json.text)\n", mode: 0o640, owner: nil)
    }
}
