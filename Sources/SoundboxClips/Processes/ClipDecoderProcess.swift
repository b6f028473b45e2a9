import Glibc
import SoundboxCore

/// Has a clip decoded by a process that can do nothing else: `soundbox decode-clip`.
public struct ClipDecoderProcess: Sendable {
    private let program: String

    /// - Parameter program: the executable of the box; as a rule the one that runs.
    public init(program: String = "/proc/self/exe") { self.program = program }

    /// Suspends for at most 15 s. What comes back is believed to be samples and nothing else.
    /// - Parameter encoded: verified by its hash.
    public func decode(_ encoded: [UInt8], longest: Duration) async throws(ClipError) -> PCMSound {
        let milliseconds = max(
            1, longest.components.seconds * 1000 + longest.components.attoseconds / 1_000_000_000_000_000)
        let process = BoundedProcess(
            program: program, arguments: ["decode-clip", "\(milliseconds)"], time: .seconds(15),
            mostOutput: DecodedClip.mostBytes(for: longest), memory: Confinement.memory,
            processorSeconds: Confinement.seconds)
        switch await process.run(input: encoded) {
        case .success(let bytes):
            guard let sound = DecodedClip.sound(from: bytes, longest: longest) else {
                throw ClipError("the process that decodes gave something that is no sound")
            }
            return sound
        case .failure(.exited(let code)):
            throw ClipError(ClipDecodingFailure(rawValue: code)?.description ?? "it cannot be decoded, code \(code)")
        case .failure(.killed(let signal)):
            throw ClipError("the process that decodes it was killed, signal \(signal)")
        case .failure(.tooSlow): throw ClipError("decoding it takes too long")
        case .failure(.tooMuchOutput): throw ClipError(ClipDecodingFailure.tooLong.description)
        case .failure(.notStarted(let error)): throw ClipError("the process that decodes does not start: \(error)")
        }
    }
}
