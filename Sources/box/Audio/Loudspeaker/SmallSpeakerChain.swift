import SoundboxCore

/// Adapts sound to a small loudspeaker: an ``Equaliser``, a ``Compressor`` and a ``PeakLimiter``, in this order.
///
/// Pure: the same frames give the same frames, into whatever periods they are cut. Processing allocates nothing.
struct SmallSpeakerChain: Sendable {
    /// How far the compressor looks ahead, in seconds: enough to see a word begin.
    private static let lookAhead = 0.0015

    /// How many frames sound is delayed: at most 5 ms.
    let latency: Int
    private var equaliser: Equaliser
    private var compressor: Compressor
    private var limiter: PeakLimiter
    /// Frames that the compressor has measured and not yet changed.
    private var delayed: [Float]
    private var place = 0
    private var framesToSettle = 0

    /// - Parameters:
    ///   - resonance: of the loudspeaker, in Hz.
    ///   - sampleRate: frames per second, 8,000 or more.
    init(resonance: Int, sampleRate: Int) {
        equaliser = Equaliser(resonance: resonance, sampleRate: sampleRate)
        compressor = Compressor(sampleRate: sampleRate)
        limiter = PeakLimiter(sampleRate: sampleRate)
        delayed = [Float](repeating: 0, count: max(1, Int(Self.lookAhead * Double(sampleRate))))
        latency = delayed.count + limiter.latency
    }

    /// Starts again, in silence.
    mutating func reset() {
        equaliser.reset()
        compressor.reset()
        limiter.reset()
        for index in delayed.indices { delayed[index] = 0 }
        (place, framesToSettle) = (0, 0)
    }

    /// Replaces the samples, which are at full volume, by the processed ones that leave the chain meanwhile.
    mutating func process(_ samples: inout [Float]) {
        for frame in samples.indices {
            let shaped = equaliser.filter(samples[frame])
            let gain = Float(compressor.gain(following: shaped))
            samples[frame] = limiter.limit(delayed[place] * gain)
            delayed[place] = Float(shaped)
            place = place + 1 == delayed.count ? 0 : place + 1
            framesToSettle += 1
            if framesToSettle == compressor.stepFrames { settle() }
        }
    }

    private mutating func settle() {
        framesToSettle = 0
        equaliser.settle()
    }
}
