import Glibc
import SoundboxCore
import SoundboxSystem

/// The helper's answer: bytes on standard output and code 0, or a reason in one line on standard error and code 1.
/// Writes directly to the descriptors, because a confined process may do nothing else.
public enum StandardStreams {
    /// Standard input to its end.
    /// - Throws: if it is larger than `most` bytes.
    public static func input(most: Int) throws(SpeakError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(STDIN_FILENO, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= most else { throw SpeakError("standard input is larger than \(most) bytes") }
        }
    }

    /// Answers with the result or the error of `make`, and ends the process.
    public static func answer(_ make: () throws -> [UInt8]) -> Never {
        do {
            // `_exit` skips the flush of a regular exit; nothing is buffered.
            _exit(put(try make(), on: STDOUT_FILENO) ? EXIT_SUCCESS : EXIT_FAILURE)
        } catch {
            let reason = (error as? ClipError)?.reason ?? "\(error)"
            _ = put(Array("\(reason.printable)\n".utf8), on: STDERR_FILENO)
            _exit(EXIT_FAILURE)
        }
    }

    private static func put(_ bytes: [UInt8], on descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                let count = write(descriptor, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
            return true
        }
    }
}

/// Why a text cannot be spoken. The reason is for people.
public struct SpeakError: Error, Sendable, Equatable, CustomStringConvertible {
    public let reason: String

    public init(_ reason: String) { self.reason = reason }

    public var description: String { reason }
}
