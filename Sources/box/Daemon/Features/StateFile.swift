import SoundboxCore
import SoundboxSystem
import Synchronization

/// One value that survives a restart, in a file of its own in the state directory.
///
///     let file = StateFile.volume(in: "/var/lib/soundbox")
///     try file.write(Volume(60))
///     file.read()  // Volume(60)
package final class StateFile<Value: Sendable>: Sendable {
    package let path: String
    /// Bytes.
    private let limit: Int
    private let text: @Sendable (Value) -> String
    private let value: @Sendable (String) -> Value?
    /// Several threads change the volume.
    private let writing = Mutex(())

    /// - Parameters:
    ///   - limit: the most bytes that are read.
    ///   - text: without a line feed at its end.
    ///   - value: `nil` for text that is no such value.
    private init(
        _ path: String, limit: Int, text: @escaping @Sendable (Value) -> String,
        value: @escaping @Sendable (String) -> Value?
    ) {
        (self.path, self.limit, self.text, self.value) = (path, limit, text, value)
    }

    /// The value; `nil` when the file is missing or cannot be read. Any thread; blocks on the disk.
    package func read() -> Value? {
        guard let bytes = try? SmallFile.bytes(ofRegularFile: path, limit: limit), bytes.last == UInt8(ascii: "\n")
        else { return nil }
        return value(String(decoding: bytes.dropLast(), as: UTF8.self))
    }

    /// Replaces the whole file: after a power cut it holds the old value or the new one. Any thread; blocks on the
    /// disk.
    package func write(_ value: Value) throws(FileError) {
        try writing.withLock { _ throws(FileError) in
            try SmallFile.replace(path, with: "\(text(value))\n", mode: 0o640, owner: nil)
        }
    }
}

extension StateFile where Value == Volume {
    /// The volume that was set last.
    package static func volume(in folder: String) -> StateFile {
        StateFile("\(folder)/volume", limit: 16) {
            "\($0.level)"
        } value: {
            Int($0).map { Volume($0) }
        }
    }
}

extension StateFile where Value == QuietChange {
    /// The quiet hours that the shop has set itself, in the JSON of the control socket.
    package static func quietHours(in folder: String) -> StateFile {
        StateFile("\(folder)/quiet_hours", limit: 256) {
            $0.json.text
        } value: { text in
            (try? JSONValue(parsing: Array(text.utf8))).flatMap { try? QuietChange(decoding: $0) }
        }
    }
}

extension StateFile where Value == KnownTime {
    /// Lower bounds of the current time: a box without a clock battery starts in the past. What 0.2.0 wrote is one time,
    /// and counts as proven.
    ///
    /// Stored twice, since one flipped bit of a worn card could make it a time after which every signed payment is too
    /// old.
    package static func time(in folder: String) -> StateFile {
        StateFile("\(folder)/time", limit: 160) {
            let line = "\($0.earliest) \($0.proven.map { "\($0)" } ?? "-")"
            return "\(line)\n\(line)"
        } value: { text in
            let lines = text.split(separator: "\n")
            guard lines.count == 2, lines[0] == lines[1] else { return nil }
            let words = lines[0].split(separator: " ").map(String.init)
            guard let earliest = words.first.flatMap({ Timestamp(rfc3339: $0) }), words.count <= 2 else { return nil }
            if words.last == "-" { return KnownTime(earliest: earliest, proven: nil) }
            return words.last.flatMap { Timestamp(rfc3339: $0) }.map { KnownTime(earliest: earliest, proven: $0) }
        }
    }
}

extension StateFile where Value == CivilDate {
    /// The business day whose takings were announced last.
    package static func dayEnd(in folder: String) -> StateFile {
        StateFile("\(folder)/day_end", limit: 64) {
            "\($0)"
        } value: {
            CivilDate($0)
        }
    }
}

extension StateFile where Value == ConnectionMark {
    /// Whether a connection to the broker was begun and none has held, and how often the program has ended so.
    package static func connection(in folder: String) -> StateFile {
        StateFile("\(folder)/connection", limit: 512) {
            $0.json.text
        } value: { text in
            (try? JSONValue(parsing: Array(text.utf8))).flatMap { ConnectionMark(decoding: $0) }
        }
    }
}

extension StateFile where Value == SessionRecord {
    /// The session of the box at its broker.
    package static func session(in folder: String) -> StateFile {
        StateFile("\(folder)/session", limit: 4096) {
            $0.json.text
        } value: { text in
            (try? JSONValue(parsing: Array(text.utf8))).flatMap { SessionRecord(decoding: $0) }
        }
    }
}

extension Remembered {
    package init(_ file: StateFile<Value>) { self.init(read: { file.read() }, write: { try file.write($0) }) }
}
