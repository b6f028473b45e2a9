import SoundboxCore

/// Sums three buses, ducks, applies gains and the volume, limits, and writes frames in the sink's format. For a small
/// loudspeaker the sum goes through its ``SmallSpeakerChain`` before the volume is applied.
///
/// Pure: the same calls give the same bytes. ``render(into:volume:)`` allocates nothing. Gains never jump: each one
/// reaches its new value by a straight ramp over the period that follows the change.
public struct Mixer: Sendable {
    /// What sounds together. Speech is what must be understood, so the others make room for it.
    public enum Bus: Int, Sendable, CaseIterable {
        case chime
        case speech
        case ring
    }

    /// The gain of the other buses while speech sounds: −12 dB, under which a tail or a ring is heard and masks no word.
    public static let duckedGain: Float = 0.251_19
    /// How long ducking takes, and its end: short against a syllable, long against a click.
    public static let duckingTime = Duration.milliseconds(50)

    public let format: PCMFormat
    private var chime = Track()
    private var speech = Track()
    private var ring = Track()
    /// Whether the ring makes room although no speech sounds: for a chime, and the rest between chime and speech.
    public var holdsRingDown = false
    /// The gain of the chime for the sake of speech, at the end of the last period.
    private var chimeDucking: Float = 1
    /// The same of the ring.
    private var ringDucking: Float = 1
    private let duckingStep: Float
    /// The gain of the volume at the end of the last period: of chime and speech, and of the ring. With a chain, the share
    /// that each has of ``chainGain``.
    private var masterGain: Float = 0
    private var ringMasterGain: Float = 0
    /// Of what leaves the chain, at the end of the last period.
    private var chainGain: Float = 1
    private var chain: SmallSpeakerChain?
    /// Of what the buses have put into the chain, frames that have not left it.
    private var framesInChain = 0
    private var sum: [Float]
    private var ringSum: [Float]
    /// Whether ``ringSum`` holds sound, in the period that is being rendered or since the last one.
    private var hasRing = false

    public init(format: PCMFormat, loudspeaker: Loudspeaker = .full) {
        self.format = format
        chain =
            switch loudspeaker {
            case .full: nil
            case .small(let resonance): SmallSpeakerChain(resonance: resonance, sampleRate: format.sampleRate)
            }
        duckingStep = (1 - Self.duckedGain) / Float(max(1, format.frames(in: Self.duckingTime)))
        sum = [Float](repeating: 0, count: format.framesPerPeriod)
        ringSum = sum
    }

    /// Begins anew in silence: what was left on any bus is dropped, and the volume is `volume` from the first frame.
    public mutating func begin(volume: Volume) { begin(gains: Gains(volume)) }

    mutating func begin(gains: Gains) {
        stop()
        chimeDucking = 1
        ringDucking = 1
        let wanted = split(gains)
        masterGain = wanted.shares.announcement
        ringMasterGain = wanted.shares.ring
        chainGain = wanted.volume
        chain?.reset()
        framesInChain = 0
    }

    /// By how many frames sound leaves later than its bus plays it: 0 without a chain, else at most 5 ms.
    public var latency: Int { chain?.latency ?? 0 }

    /// Drops what is left on every bus.
    public mutating func stop() {
        for bus in Bus.allCases { stop(bus) }
    }

    /// Drops what is left on a bus.
    public mutating func stop(_ bus: Bus) { self[bus].stop() }

    /// Plays sound again and again, in place of what is left on the bus.
    /// - Parameters:
    ///   - samples: mono, at the sink's rate.
    ///   - position: the first sample to be played; up to the end of `samples`.
    public mutating func loop(_ samples: [Int16], on bus: Bus, from position: Int = 0) {
        self[bus].loop(samples, from: position)
    }

    /// Ends what is on a bus, without a click. What has not begun yet does not begin.
    /// - Parameters:
    ///   - frames: how many more of it are played.
    ///   - fade: over how many of them it fades out.
    public mutating func end(_ bus: Bus, after frames: Int, fade: Int) { self[bus].end(after: frames, fade: fade) }

    /// The sample of a bus that is rendered next; below zero while its delay lasts.
    public func position(of bus: Bus) -> Int { self[bus].position }

    /// Whether a bus has ended.
    public func isFinished(_ bus: Bus) -> Bool { self[bus].remaining == 0 }

    /// Puts sound on a bus, in place of what is left on it.
    ///
    /// - Parameters:
    ///   - samples: mono, at the sink's rate.
    ///   - delay: frames of silence before it, counted from the next frame to be rendered.
    public mutating func play(_ samples: [Int16], on bus: Bus, after delay: Int = 0) {
        self[bus].play(samples, after: delay)
    }

    /// Sets a bus's own gain: a factor of 0 to 1, in force at the end of the next period.
    public mutating func setGain(_ gain: Float, of bus: Bus) {
        self[bus].targetGain = gain
    }

    /// Whether every bus has ended, and all of it was rendered.
    public var isFinished: Bool { framesInChain == 0 && Bus.allCases.allSatisfy { self[$0].remaining == 0 } }

    /// Renders the next period into `period`, which is resized to exactly one; silence follows the end of every bus.
    ///
    /// - Parameter volume: in force at the end of this period.
    public mutating func render(into period: inout [UInt8], volume: Volume) {
        render(into: &period, gains: Gains(volume))
    }

    /// What the samples are scaled by: 0 to 1 each.
    struct Gains: Sendable, Equatable {
        /// Of chime and speech.
        var announcement: Float
        var ring: Float

        init(announcement: Float, ring: Float) {
            self.announcement = announcement
            self.ring = ring
        }

        init(_ volume: Volume) { self.init(announcement: volume.gain, ring: volume.gain) }
    }

    /// - Parameter gains: in force at the end of this period.
    mutating func render(into period: inout [UInt8], gains: Gains) {
        sum.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
        let hadRing = hasRing
        hasRing = ring.remaining > 0
        // What a ring has left behind must not be heard; silence need not be written anew.
        if hasRing || hadRing { ringSum.withUnsafeMutableBufferPointer { $0.update(repeating: 0) } }
        countFramesInChain()
        let speechBegins = max(0, -speech.position)
        let speechEnds = max(0, speech.remaining)
        chime.add(to: &sum)
        ring.add(to: &ringSum)
        duck(during: min(speechBegins, speechEnds)..<speechEnds)
        speech.add(to: &sum)
        if chain == nil { limit(gains) } else { shape(gains) }
        SampleWriter.write(sum, to: &period, as: format)
    }

    private mutating func limit(_ gains: Gains) {
        let count = Float(sum.count)
        let step = (gains.announcement - masterGain) / count
        let ringStep = (gains.ring - ringMasterGain) / count
        let (gain, ringGain, hasRing) = (masterGain, ringMasterGain, hasRing)
        ringSum.withUnsafeBufferPointer { ring in
            sum.withUnsafeMutableBufferPointer { sum in
                if hasRing {
                    for frame in sum.indices {
                        let announcement = sum[frame] * (gain + step * Float(frame &+ 1))
                        sum[frame] = announcement + ring[frame] * (ringGain + ringStep * Float(frame &+ 1))
                    }
                } else {
                    for frame in sum.indices { sum[frame] *= gain + step * Float(frame &+ 1) }
                }
                SoftLimiter.limit(sum)
            }
        }
        masterGain = gains.announcement
        ringMasterGain = gains.ring
    }

    /// The chain judges sound at its full level, and the volume comes behind it: otherwise the chain would make up for a
    /// low volume, and silence would be late by what the chain holds.
    private mutating func shape(_ gains: Gains) {
        let wanted = split(gains)
        chain?.process(
            &sum, ringSum, from: (masterGain, ringMasterGain),
            to: (wanted.shares.announcement, wanted.shares.ring))
        masterGain = wanted.shares.announcement
        ringMasterGain = wanted.shares.ring
        let step = (wanted.volume - chainGain) / Float(sum.count)
        for frame in sum.indices { sum[frame] *= chainGain + step * Float(frame + 1) }
        chainGain = wanted.volume
    }

    /// The louder one's volume, and what announcement and ring have of that; of silence nothing can be told.
    private func split(_ gains: Gains) -> (shares: Gains, volume: Float) {
        guard chain != nil else { return (gains, 1) }
        let volume = max(gains.announcement, gains.ring)
        guard volume > 0 else { return (Gains(announcement: 1, ring: 1), 0) }
        return (Gains(announcement: gains.announcement / volume, ring: gains.ring / volume), volume)
    }

    private mutating func countFramesInChain() {
        let last = min(max(chime.remaining, max(speech.remaining, ring.remaining)), sum.count)
        framesInChain = max(0, (last > 0 ? last + latency : framesInChain) - sum.count)
    }

    /// Makes room for the speech that lies in these frames of the period.
    private mutating func duck(during speech: Range<Int>) {
        let speech = speech.clamped(to: 0..<sum.count)
        duck(in: 0..<speech.lowerBound, isSpeaking: false)
        duck(in: speech, isSpeaking: true)
        duck(in: speech.upperBound..<sum.count, isSpeaking: false)
    }

    private mutating func duck(in frames: Range<Int>, isSpeaking: Bool) {
        let (hasRing, isRingDucked, step) = (hasRing, isSpeaking || holdsRingDown, duckingStep)
        var gain = chimeDucking
        sum.withUnsafeMutableBufferPointer { Self.ramp(&gain, in: frames, of: $0, isDucked: isSpeaking, step) }
        chimeDucking = gain
        gain = ringDucking
        ringSum.withUnsafeMutableBufferPointer {
            Self.ramp(&gain, in: frames, of: hasRing ? $0 : nil, isDucked: isRingDucked, step)
        }
        ringDucking = gain
    }

    /// - Parameter sound: what is made softer; `nil` when there is none, and time passes all the same.
    private static func ramp(
        _ gain: inout Float, in frames: Range<Int>, of sound: UnsafeMutableBufferPointer<Float>?, isDucked: Bool,
        _ step: Float
    ) {
        let end: Float = isDucked ? duckedGain : 1
        var frame = frames.lowerBound
        while frame < frames.upperBound, gain != end {
            gain = isDucked ? max(end, gain - step) : min(end, gain + step)
            sound?[frame] *= gain
            frame += 1
        }
        // Most of the time nothing is ducked, and nothing changes.
        guard let sound, end != 1 else { return }
        for frame in frame..<frames.upperBound { sound[frame] *= end }
    }

    private subscript(bus: Bus) -> Track {
        get {
            switch bus {
            case .chime: chime
            case .speech: speech
            case .ring: ring
            }
        }
        _modify {
            switch bus {
            case .chime: yield &chime
            case .speech: yield &speech
            case .ring: yield &ring
            }
        }
    }
}

/// What is on one bus, and how far it has been played.
private struct Track: Sendable {
    private var samples: [Int16] = []
    /// The next frame to be rendered; below zero while its delay lasts.
    private(set) var position = 0
    /// Whether it begins again at its end.
    private var isLooped = false
    private var gain: Float = 1
    var targetGain: Float = 1

    /// Frames to the end, the delay included.
    var remaining: Int { isLooped ? .max : samples.count - position }

    mutating func play(_ samples: [Int16], after delay: Int) {
        self.samples = samples
        position = samples.isEmpty ? 0 : -delay
        isLooped = false
    }

    mutating func loop(_ samples: [Int16], from position: Int) {
        self.samples = samples
        self.position = min(position, samples.count)
        isLooped = !samples.isEmpty
    }

    mutating func stop() {
        samples = []
        position = 0
        isLooped = false
        gain = targetGain
    }

    mutating func end(after frames: Int, fade: Int) {
        guard position >= 0, remaining > 0 else { return stop() }
        let count = min(frames, remaining)
        var rest = (0..<count).map { samples[(position + $0) % samples.count] }
        for frame in 0..<min(fade, count) {
            let sample = Float(rest[count - 1 - frame]) * Float(frame) / Float(fade)
            rest[count - 1 - frame] = Int16(sample.rounded())
        }
        samples = rest
        position = 0
        isLooped = false
    }

    /// Adds the next frames to `sum` and moves on.
    mutating func add(to sum: inout [Float]) {
        let count = sum.count
        let step = (targetGain - gain) / Float(count)
        var frame = max(0, -position)
        var place = position + frame
        while frame < count {
            if place == samples.count, isLooped { place = 0 }
            let end = min(count, frame + samples.count - place)
            guard frame < end else { break }
            sum.withUnsafeMutableBufferPointer { sum in
                samples.withUnsafeBufferPointer { samples in
                    Self.add(samples, from: place, to: sum, in: frame..<end, gain, step)
                }
            }
            place += end - frame
            frame = end
        }
        gain = targetGain
        position = isLooped ? place : min(position + count, samples.count)
    }

    /// Two loops that the compiler makes vectors of: nearly always the gain is 1 and stays so, which changes no sample.
    private static func add(
        _ samples: UnsafeBufferPointer<Int16>, from place: Int, to sum: UnsafeMutableBufferPointer<Float>,
        in frames: Range<Int>, _ gain: Float, _ step: Float
    ) {
        let shift = place - frames.lowerBound
        if gain == 1, step == 0 {
            for frame in frames { sum[frame] += Float(samples[frame &+ shift]) * (1 / 32768) }
        } else {
            for frame in frames {
                sum[frame] += Float(samples[frame &+ shift]) * (1 / 32768) * (gain + step * Float(frame &+ 1))
            }
        }
    }
}
