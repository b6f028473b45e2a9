import SoundboxCore
import SoundboxSpeech
import SoundboxVoice

/// Speaks on a device or into a file without a box, a broker or a queue: for `soundbox say` and for setup.
///
///     let speaker = Speaker(on: thread, voice: try VoiceFolder(path: sounds).voice("en-US"))
///     try await speaker.speak(.prompt(.greeting))
///     await speaker.close()
public struct Speaker: Sendable {
    private let player: Player
    private let voices: Voices
    /// The first voice's.
    private let writer: ScriptWriter

    /// - Parameters:
    ///   - others: speak everything after the first voice, except digits.
    ///   - loudspeaker: the sound is processed for it.
    public init(
        on thread: SoundThread, voice: Voice, others: [Voice] = [], volume: Volume = Volume(100),
        loudspeaker: Loudspeaker = .full
    ) {
        voices = Voices(first: voice, others: others)
        player = Player(on: thread, voices: voices, volume: volume, loudspeaker: loudspeaker)
        writer = voice.writer
    }

    /// Returns when the last frame has been played, or is in the file.
    /// - Returns: how it was heard.
    /// - Throws: ``SpeechError`` when the amount cannot be said exactly, ``AudioSinkError`` when it cannot be played.
    @discardableResult
    public func speak(_ utterance: Utterance) async throws -> Player.Outcome {
        let script = voices.script(for: utterance)
        if let shortcoming = script.shortcoming { throw shortcoming }
        do throws(PlayerError) { return try await player.play(script) } catch {
            if case .sink(let cause) = error { throw cause }
            throw error
        }
    }

    /// Speaks digits one by one, slowly enough to be written down.
    /// - Parameter digits: 0 to 9 each.
    /// - Returns: how they were heard.
    public func speak(digits: [Int]) async throws -> Player.Outcome {
        try await player.play(try writer.script(ofDigits: digits, restingFor: .milliseconds(300)))
    }

    public func close() async { await player.close() }
}
