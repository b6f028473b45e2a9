import Glibc
import SoundboxSystem

/// Nothing that people write by hand is larger.
let mostBytesOfFile = 4 << 20

/// The whole content of a file that is expected to be small; more than 4 MiB is refused.
public func readFile(_ path: String) throws(SystemError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError(code: errno) }
    defer { close(descriptor) }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
        let count = read(descriptor, &chunk, chunk.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw SystemError(code: errno) }
        if count == 0 { return content }
        content += chunk[..<count]
        guard content.count <= mostBytesOfFile else { throw SystemError(code: EFBIG) }
    }
}
