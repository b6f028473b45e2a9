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

/// Speaks texts with `soundbox-speak`, one at a time, and caches the most recent ones:
///
///     let synthesizer = HelperSynthesizer(SpeakProgram())
///     let sound = try await synthesizer.speech(of: "Table 5 is ready", in: "en-US")
public actor HelperSynthesizer: SpeechSynthesizer {
    /// In bytes of samples: 95 s of sound at 22,050 Hz.
    private static let cacheSize = 4 << 20

    private struct Key: Hashable {
        var text: String
        var locale: String
    }

    private let program: SpeakProgram
    private let semaphore = AsyncSemaphore(value: 1)
    /// The most recently used one is last.
    private var cache: [(key: Key, sound: PCMSound)] = []

    public init(_ program: SpeakProgram) { self.program = program }

    public func speech(of text: String, in locale: String) async throws(SpeechSynthesisError) -> PCMSound {
        let key = Key(text: text, locale: locale)
        if let sound = cached(key) { return sound }
        await semaphore.wait()
        let result = await speak(key)
        await semaphore.signal()
        return try result.get()
    }

    private func speak(_ key: Key) async -> Result<PCMSound, SpeechSynthesisError> {
        // Another caller may have requested the same text meanwhile.
        if let sound = cached(key) { return .success(sound) }
        if Task.isCancelled { return .failure(.failed(reason: "nobody waits for it any more")) }
        do throws(SpeakProgram.Failure) {
            let sound = try await program.speak(key.text, in: key.locale)
            keep(sound, for: key)
            return .success(sound)
        } catch {
            return .failure(error.isOfProgram ? .unavailable(reason: error.reason) : .failed(reason: error.reason))
        }
    }

    private func cached(_ key: Key) -> PCMSound? {
        guard let index = cache.firstIndex(where: { $0.key == key }) else { return nil }
        let entry = cache.remove(at: index)
        cache.append(entry)
        return entry.sound
    }

    private func keep(_ sound: PCMSound, for key: Key) {
        cache.append((key, sound))
        var size = cache.reduce(0) { $0 + 2 * $1.sound.samples.count }
        while size > Self.cacheSize, cache.count > 1 { size -= 2 * cache.removeFirst().sound.samples.count }
    }
}
