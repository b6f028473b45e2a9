import Glibc
import SoundboxCore
import SoundboxSystem

/// Speaks any text with espeak-ng, a program of its own that reads the text from standard input and writes sound to
/// standard output. No shell, no file, no library of it in the box.
///
/// Nothing runs and nothing is held while nobody asks. One text is spoken at a time.
public actor ESpeakSynthesizer: SpeechSynthesizer {
    /// Of decoded sound that is kept, in bytes: some forty sentences.
    private static let cacheSize = 4 << 20

    private struct Key: Hashable {
        var text: String
        var locale: String
    }

    private let program: String
    private let otherwise: String?
    private let turns = Turns(atOnce: 1)
    /// The one that was asked for last is at the end.
    private var cache: [(key: Key, sound: PCMSound)] = []

    /// - Parameters:
    ///   - program: an absolute path.
    ///   - otherwise: espeak-ng's voice for languages that the box does not know; `nil` refuses them.
    public init(program: String = "/usr/bin/espeak-ng", otherwise: String? = nil) {
        self.program = program
        self.otherwise = otherwise
    }

    public func speech(of text: String, in locale: String) async throws(SpeechSynthesisError) -> PCMSound {
        let key = Key(text: text, locale: locale)
        if let sound = cached(key) { return sound }
        let spoken = try SpokenText(text, in: locale, otherwise: otherwise)
        await turns.take()
        let result = await speak(spoken, for: key)
        await turns.give()
        return try result.get()
    }

    private func speak(_ spoken: SpokenText, for key: Key) async -> Result<PCMSound, SpeechSynthesisError> {
        // Somebody may have asked for the same while this waited for its turn.
        if let sound = cached(key) { return .success(sound) }
        if Task.isCancelled { return .failure(.failed(reason: "nobody waits for it any more")) }
        do throws(SpeechSynthesisError) {
            if !spoken.question.isEmpty {
                let phonemes = try await run(
                    ["-v", spoken.voice, "-q", "-x", "--stdin"], spoken.question, most: 65_536)
                guard SpokenText.isRead(as: String(decoding: phonemes, as: UTF8.self)) else {
                    throw .failed(reason: "espeak-ng cannot read all of it in \(key.locale)")
                }
            }
            // Two bytes a sample; at most 48 kHz, of which espeak-ng uses 22.05.
            let most = DecodedClip.mostBytes(for: PCMSound.longest)
            let bytes = try await run(["-v", spoken.voice, "--stdin", "--stdout"], spoken.text, most: most)
            guard let sound = SynthesizedWAV.sound(from: bytes), let leveled = SpeechLevel.level(sound) else {
                throw .failed(reason: "espeak-ng gave no sound")
            }
            guard leveled.duration <= PCMSound.longest else {
                throw .failed(reason: "it lasts longer than \(PCMSound.longest)")
            }
            keep(leveled, for: key)
            return .success(leveled)
        } catch {
            return .failure(error)
        }
    }

    private func run(
        _ arguments: [String], _ text: String, most: Int
    ) async throws(SpeechSynthesisError) -> [UInt8] {
        // Though it is to play nothing, its library for sound cards begins with 64 MiB of memory in a file of its own.
        let process = BoundedProcess(
            program: program, arguments: arguments, time: .seconds(10), mostOutput: most, memory: 256 << 20,
            processorSeconds: 10, largestFile: 64 << 20)
        switch await process.run(input: Array("\(text)\n".utf8)) {
        case .success(let bytes): return bytes
        case .failure(.notStarted(let error)) where error.code == ENOENT:
            throw .unavailable(reason: "install the package espeak-ng")
        case .failure(.notStarted(let error)) where error.code == EACCES:
            // The sandbox was made when the service started: execution is allowed for what was there.
            throw .unavailable(reason: "\(program) may not be run; restart the box: systemctl restart soundbox")
        case .failure(.notStarted(let error)): throw .failed(reason: "\(program) does not start: \(error)")
        case .failure(.tooSlow): throw .failed(reason: "espeak-ng took longer than 10 s")
        case .failure(.tooMuchOutput): throw .failed(reason: "it lasts longer than \(PCMSound.longest)")
        case .failure(.exited(let code)): throw .failed(reason: "espeak-ng ended with code \(code)")
        case .failure(.killed(let signal)): throw .failed(reason: "espeak-ng was killed, signal \(signal)")
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
