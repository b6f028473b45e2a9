/// What the sound comes out of, as far as it is made fit for that.
public enum Loudspeaker: Sendable, Equatable {
    /// A line output, or a loudspeaker for the whole range: sound goes out as it was mixed.
    case full
    /// A driver of a few centimetres.
    ///
    /// - Parameter resonance: in Hz, one of ``resonances``. Below it the cone moves much and sounds little.
    case small(resonance: Int = usualResonance)

    /// Hz.
    public static let resonances = 100...1000
    /// Of a driver of 40 mm, in Hz.
    public static let usualResonance = 300
}
