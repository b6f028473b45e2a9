/// Shapes the spectrum for a small loudspeaker: removes what lies below its resonance, and raises the frequencies that
/// make words intelligible.
struct Equaliser: Sendable {
    /// The frequencies that distinguish consonants, in Hz, and how much they are raised, in dB.
    private static let presence = (frequency: 3000.0, q: 0.8, decibels: 4.0)
    /// The quality factor of each half of a fourth-order Butterworth filter, 24 dB per octave.
    private static let butterworth = (0.541_196, 1.306_563)

    private var lowCut: Biquad
    private var steepLowCut: Biquad
    private var presence: Biquad

    /// - Parameters:
    ///   - resonance: of the loudspeaker, in Hz.
    ///   - sampleRate: frames per second, 8,000 or more.
    init(resonance: Int, sampleRate: Int) {
        let rate = Double(sampleRate)
        lowCut = .highPass(Double(resonance) / rate, q: Self.butterworth.0)
        steepLowCut = .highPass(Double(resonance) / rate, q: Self.butterworth.1)
        presence = .bell(Self.presence.frequency / rate, q: Self.presence.q, decibels: Self.presence.decibels)
    }

    mutating func filter(_ sample: Float) -> Double {
        presence.filter(steepLowCut.filter(lowCut.filter(Double(sample))))
    }

    /// As ``Biquad/settle()``. Call it now and then.
    mutating func settle() {
        lowCut.settle()
        steepLowCut.settle()
        presence.settle()
    }

    mutating func reset() {
        lowCut.reset()
        steepLowCut.reset()
        presence.reset()
    }
}
