import SoundboxCore

/// Makes sound fit for a small loudspeaker: an ``Equaliser``, a ``Compressor`` and a ``PeakLimiter``, one behind the other.
///
/// Pure: the same frames give the same frames, however they are cut into periods. Processing allocates nothing.
struct SmallSpeakerChain: Sendable {
    /// How far the compressor looks ahead, in seconds: what it needs to see a word begin.
    private static let lookAhead = 0.0015

    /// By how many frames sound leaves later than it came: at most 5 ms.
    let latency: Int
    private var equaliser: Equaliser
    private var compressor: Compressor
    private var limiter: PeakLimiter
    /// What the compressor has seen and not yet acted on.
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

    /// Begins anew, in silence.
    mutating func reset() {
        equaliser.reset()
        compressor.reset()
        limiter.reset()
        for index in delayed.indices { delayed[index] = 0 }
        (place, framesToSettle) = (0, 0)
    }

    /// Takes the next frames, as loud as they are at full volume, and puts in their place those that leave meanwhile.
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
