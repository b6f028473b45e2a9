import SoundboxCore

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
