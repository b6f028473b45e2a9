/// Makes speech from text for which there are no recordings.
///
///     let sound = try await synthesizer.speech(of: "三号桌叫人", in: "zh-CN")
public protocol SpeechSynthesizer: Sendable {
    /// Speaks a text. Suspends for a bounded time; never blocks. Any task. Asking for the same text again costs
    /// nothing.
    /// - Parameters:
    ///   - text: at most ``CustomMessage/longestText`` characters.
    ///   - locale: the voice's BCP 47 tag: `zh-CN`.
    func speech(of text: String, in locale: String) async throws(SpeechSynthesisError) -> PCMSound
}

public enum SpeechSynthesisError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No synthesiser is installed. The reason says what to install.
    case unavailable(reason: String)
    /// The synthesiser failed, took too long, or wrote too much.
    case failed(reason: String)

    public var description: String {
        switch self {
        case .unavailable(let reason): "text cannot be spoken here: \(reason)"
        case .failed(let reason): "the text could not be spoken: \(reason)"
        }
    }
}
