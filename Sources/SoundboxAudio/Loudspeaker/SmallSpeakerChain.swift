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
    private var ringEqualiser: Equaliser
    private var compressor: Compressor
    private var limiter: PeakLimiter
    /// What the compressor has seen and not yet acted on.
    private var delayed: [Float]
    private var ringDelayed: [Float]
    private var place = 0
    private var framesToSettle = 0

    /// - Parameters:
    ///   - resonance: of the loudspeaker, in Hz.
    ///   - sampleRate: frames per second, 8,000 or more.
    init(resonance: Int, sampleRate: Int) {
        equaliser = Equaliser(resonance: resonance, sampleRate: sampleRate)
        ringEqualiser = equaliser
        compressor = Compressor(sampleRate: sampleRate)
        limiter = PeakLimiter(sampleRate: sampleRate)
        delayed = [Float](repeating: 0, count: max(1, Int(Self.lookAhead * Double(sampleRate))))
        ringDelayed = delayed
        latency = delayed.count + limiter.latency
    }

    /// Begins anew, in silence.
    mutating func reset() {
        equaliser.reset()
        ringEqualiser.reset()
        compressor.reset()
        limiter.reset()
        for index in delayed.indices {
            delayed[index] = 0
            ringDelayed[index] = 0
        }
        (place, framesToSettle) = (0, 0)
    }

    /// Takes the next frames, as loud as they are at full volume, and puts in their place those that leave meanwhile.
    ///
    /// The gain of the compressor follows both at full volume, whatever share of it they have: a payment at a low volume
    /// under a loud ring is not raised for that.
    /// - Parameters:
    ///   - samples: chime and speech; in their place, what is to be heard of both.
    ///   - ring: as many.
    ///   - from: the shares before the first frame.
    ///   - to: at the last frame. They go there in a straight line.
    mutating func process(
        _ samples: inout [Float], _ ring: [Float], from: (announcement: Float, ring: Float),
        to: (announcement: Float, ring: Float)
    ) {
        let step = (to.announcement - from.announcement) / Float(samples.count)
        let ringStep = (to.ring - from.ring) / Float(samples.count)
        for frame in samples.indices {
            let shaped = equaliser.filter(samples[frame])
            let shapedRing = ringEqualiser.filter(ring[frame])
            let gain = Float(compressor.gain(following: shaped + shapedRing))
            let announcement = delayed[place] * (from.announcement + step * Float(frame + 1))
            let ring = ringDelayed[place] * (from.ring + ringStep * Float(frame + 1))
            samples[frame] = limiter.limit((announcement + ring) * gain)
            delayed[place] = Float(shaped)
            ringDelayed[place] = Float(shapedRing)
            place = place + 1 == delayed.count ? 0 : place + 1
            framesToSettle += 1
            if framesToSettle == compressor.stepFrames { settle() }
        }
    }

    private mutating func settle() {
        framesToSettle = 0
        equaliser.settle()
        ringEqualiser.settle()
    }
}
