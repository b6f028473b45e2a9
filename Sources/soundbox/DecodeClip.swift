import ArgumentParser
import Glibc
import SoundboxClips
import SoundboxCore
import SoundboxVoice

/// Started by the box itself, for one clip: a file on standard input, samples on standard output
/// (``SoundboxCore/DecodedClip``), and why there are none as the exit code. It is confined before it reads a byte.
struct DecodeClip: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode-clip", abstract: "Decodes a clip for the box; not for people.", shouldDisplay: false)

    @Argument(help: "The longest sound that is allowed, in milliseconds.")
    var longest: Int

    func validate() throws {
        guard (1...30_000).contains(longest) else { throw ValidationError("expected 1–30000 milliseconds") }
    }

    func run() {
        do throws(ClipDecodingFailure) {
            try Confinement.enter()
            let sound = try ClipDecoder.decode(Self.input(), longest: .milliseconds(longest))
            // Nothing else may be written any more, so nothing that runs at a regular exit is missed.
            _exit(Self.put(DecodedClip.bytes(of: sound)) ? EXIT_SUCCESS : EXIT_FAILURE)
        } catch {
            _exit(error.rawValue)
        }
    }

    /// Standard input to its end.
    private static func input() throws(ClipDecodingFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(STDIN_FILENO, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= ClipSettings.mostBytes else { throw .tooLong }
        }
    }

    private static func put(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                let count = write(STDOUT_FILENO, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
            return true
        }
    }
}
