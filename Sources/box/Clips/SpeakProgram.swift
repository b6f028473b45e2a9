import Glibc
import SoundboxCore
import SoundboxSystem

/// The helper `soundbox-speak`, which fetches and decodes clips and speaks texts: one process for each, bounded
/// in time, memory and output. It has a separate package and may be missing.
///
///     let program = SpeakProgram()
///     let encoded = try await program.fetch(reference, settings)
///     let sound = try await program.decode(encoded, longest: .seconds(30))
///
/// Any task. Calls suspend for at most the times that are stated.
public struct SpeakProgram: Sendable {
    private let path: String

    /// - Parameter path: absolute; normally beside the running program.
    public init(path: String = InstalledFolders.speakProgram) { self.path = path }

    /// Why there is no sound.
    struct Failure: Error {
        var reason: String
        /// The helper is missing or cannot be run: the reason says what to do.
        var isOfProgram = false
    }

    /// Why the helper cannot be used, and what to do; `nil` if it can. Blocks on the disk.
    public var problem: String? { access(path, X_OK) == 0 ? nil : problem(.last) }

    private func problem(_ error: SystemError) -> String {
        switch error.code {
        case ENOENT: "install the package soundbox-speak"
        // The sandbox allows only programs that existed when the service started.
        case EACCES: "\(path) may not be run; restart the box: systemctl restart soundbox"
        default: "\(path) does not start: \(error)"
        }
    }

    /// Fetches a clip within the configured time.
    /// - Returns: not verified; at most as many bytes as the configuration and the command allow.
    func fetch(_ reference: ClipReference, _ settings: ClipSettings) async throws(ClipError) -> [UInt8] {
        let most = min(settings.largest, reference.bytes ?? .max)
        var arguments = ["fetch", "--max-bytes", "\(most)", "--timeout", "\(settings.timeout.inMilliseconds)"]
        if settings.allowsPlainHTTP { arguments.append("--plain-http") }
        for host in settings.hosts { arguments += ["--host", host.description] }
        // On standard input: an address may contain a secret, and arguments are visible to every process.
        do throws(Failure) {
            return try await output(arguments, Array(reference.url.utf8), within: settings.timeout, most: most)
        } catch { throw ClipError(error.reason) }
    }

    /// Decodes a clip, within 15 s, in a process without network and files. The output is only read as samples.
    /// - Parameter encoded: verified by its hash.
    func decode(_ encoded: [UInt8], longest: Duration) async throws(ClipError) -> PCMSound {
        do throws(Failure) {
            return try await sound(
                ["decode", "--max-duration", "\(longest.inMilliseconds)"], encoded, within: .seconds(15), longest)
        } catch { throw ClipError(error.reason) }
    }

    /// Speaks a text, within 20 s.
    func speak(_ text: String, in locale: String) async throws(Failure) -> PCMSound {
        try await sound(["text", "--locale", locale], Array(text.utf8), within: .seconds(20), PCMSound.longest)
    }

    private func sound(
        _ arguments: [String], _ input: [UInt8], within time: Duration, _ longest: Duration
    ) async throws(Failure) -> PCMSound {
        let bytes = try await output(arguments, input, within: time, most: WAV.mostBytes(for: longest))
        guard let sound = WAV.sound(from: bytes, longest: longest), !sound.samples.isEmpty else {
            throw Failure(reason: "soundbox-speak gave something that is no sound")
        }
        return sound
    }

    private func output(
        _ arguments: [String], _ input: [UInt8], within time: Duration, most: Int
    ) async throws(Failure) -> [UInt8] {
        // `largestFile`: espeak-ng, which the helper starts, makes a file of this size.
        let process = BoundedProcess(
            program: path, arguments: arguments, time: time, mostOutput: most, memory: 512 << 20, processorSeconds: 20,
            largestFile: 64 << 20)
        switch await process.run(input: input, onThreadNamed: "speak") {
        case .success(let bytes): return bytes
        case .failure(.notStarted(let error)): throw Failure(reason: problem(error), isOfProgram: true)
        case .failure(.tooSlow): throw Failure(reason: "it did not come within \(time)")
        case .failure(.tooMuchOutput): throw Failure(reason: "it is larger than \(most) bytes")
        case .failure(.exited(let code, "")): throw Failure(reason: "soundbox-speak ended with code \(code)")
        case .failure(.exited(_, let reason)): throw Failure(reason: reason.printable)
        case .failure(.killed(let signal)): throw Failure(reason: "soundbox-speak was killed, signal \(signal)")
        }
    }
}
