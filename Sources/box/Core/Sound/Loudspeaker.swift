/// The kind of loudspeaker, for which the sound is processed.
public enum Loudspeaker: Sendable, Equatable {
    /// A line output, or a full-range loudspeaker: sound is played as it was mixed.
    case full
    /// A driver of a few centimetres.
    ///
    /// - Parameter resonance: in Hz, one of ``resonances``. Below it the cone moves much and is hardly heard.
    case small(resonance: Int = usualResonance)

    /// Hz.
    public static let resonances = 100...1000
    /// Of a 40 mm driver, in Hz.
    public static let usualResonance = 300
}
