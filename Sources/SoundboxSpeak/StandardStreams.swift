import Glibc
import SoundboxCore
import SoundboxSystem

/// How the helper answers: by bytes on standard output and code 0, or by a reason, in one line on standard error, and
/// code 1. It writes straight to the descriptors, which is all that a confined process may do.
public enum StandardStreams {
    /// Standard input to its end.
    /// - Throws: what is larger than `most` bytes.
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

    /// Answers with what `make` returns or throws, and ends the process.
    public static func answer(_ make: () throws -> [UInt8]) -> Never {
        do {
            // Nothing is buffered, so nothing is missed that runs at a regular exit.
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
