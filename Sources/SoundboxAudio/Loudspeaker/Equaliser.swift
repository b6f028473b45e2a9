/// What of a sound's spectrum a small loudspeaker is given: nothing below its resonance, and more of what makes words
/// understood.
struct Equaliser: Sendable {
    /// Where consonants are told apart, in Hz; and how much they are lifted there, in dB.
    private static let presence = (frequency: 3000.0, q: 0.8, decibels: 4.0)
    /// The quality of each half of a Butterworth filter of fourth order, 24 dB per octave.
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

    /// As ``Biquad/settle()``; to be called now and then.
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
