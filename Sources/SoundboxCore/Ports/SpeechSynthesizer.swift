/// Makes speech of text for which there are no recordings.
public protocol SpeechSynthesizer: Sendable {
    /// Speaks a text. Suspends for as long as that takes, which is bounded; never blocks. Any task; the same text may
    /// be asked for again at no cost.
    /// - Parameters:
    ///   - text: at most ``CustomMessage/longestText`` characters.
    ///   - locale: the voice's BCP 47 tag: `zh-CN`.
    func speech(of text: String, in locale: String) async throws(SpeechSynthesisError) -> PCMSound
}

public enum SpeechSynthesisError: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is no program that speaks. The reason says what to install.
    case unavailable(reason: String)
    /// It failed, took too long, or gave too much.
    case failed(reason: String)

    public var description: String {
        switch self {
        case .unavailable(let reason): "text cannot be spoken here: \(reason)"
        case .failed(let reason): "the text could not be spoken: \(reason)"
        }
    }
}
