import SoundboxCore
import SoundboxSystem

/// A file that holds one line and, on a second one, its SHA-256: a flipped bit can leave text that makes sense, and the
/// sum detects it. Blocks on the disk.
struct SummedLine: Sendable {
    let path: String
    /// The largest file, in bytes.
    let limit: Int

    /// - Returns: the line; `nil` when there is no file.
    /// - Throws: when the file cannot be read, or is not what was written.
    func read() throws(FileError) -> [UInt8]? {
        guard SmallFile.exists(path) else { return nil }
        let bytes: [UInt8]
        do { bytes = try SmallFile.bytes(ofRegularFile: path, limit: limit) } catch {
            throw FileError(path: path, problem: "cannot be read: \(error)")
        }
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        guard lines.count == 2, Self.sum(Array(lines[0])).utf8.elementsEqual(lines[1]) else {
            throw FileError(path: path, problem: "is damaged")
        }
        return Array(lines[0])
    }

    /// Replaces the whole file: after a power cut it holds the old line or the new one.
    /// - Parameter line: without a line break.
    func write(_ line: String) throws(FileError) {
        try SmallFile.replace(path, with: "\(line)\n\(Self.sum(Array(line.utf8)))\n", mode: 0o640, owner: nil)
    }

    private static func sum(_ line: [UInt8]) -> String { SHA256.hash(of: line).hexadecimal }
}
