import SoundboxCore

/// Sums two buses, ducks, applies the volume, limits, and writes frames in the sink's format. For a small loudspeaker
/// the sum goes through its ``SmallSpeakerChain`` before the volume is applied.
///
///     var mixer = Mixer(format: .mono48kHz)
///     mixer.begin(volume: Volume(80))
///     mixer.play(samples, on: .speech)
///     while !mixer.isFinished { mixer.render(into: &period, volume: Volume(80)) }
///
/// Pure: the same calls give the same bytes. ``render(into:volume:)`` allocates nothing. The volume never jumps: it
/// reaches its new value by a linear ramp of ``rampTime``, or of one period if that is shorter.
public struct Mixer: Sendable {
    /// The two sources that are mixed. Speech must be understood, so the chime is ducked for it.
    public enum Bus: Int, Sendable, CaseIterable {
        case chime
        case speech
    }

    /// The gain of the chime during speech: −12 dB, so that its tail is heard and masks no word.
    public static let duckedGain: Float = 0.251_19
    /// How long ducking takes to begin and to end: short against a syllable, long against a click.
    public static let duckingTime = Duration.milliseconds(50)
    /// How long a change of the volume takes: long against a click.
    public static let rampTime = Duration.milliseconds(20)

    public let format: PCMFormat
    private var chime = Track()
    private var speech = Track()
    /// The gain of the ducked chime at the end of the last period.
    private var ducking: Float = 1
    private let duckingStep: Float
    private let rampFrames: Int
    /// The gain of the volume at the end of the last period.
    private var volumeGain: Float = 0
    private var chain: SmallSpeakerChain?
    /// Frames that the buses have put into the chain and that have not left it.
    private var framesInChain = 0
    private var sum: [Float]

    public init(format: PCMFormat, loudspeaker: Loudspeaker = .full) {
        self.format = format
        chain =
            switch loudspeaker {
            case .full: nil
            case .small(let resonance): SmallSpeakerChain(resonance: resonance, sampleRate: format.sampleRate)
            }
        duckingStep = (1 - Self.duckedGain) / Float(max(1, format.frames(in: Self.duckingTime)))
        rampFrames = max(1, format.frames(in: Self.rampTime))
        sum = [Float](repeating: 0, count: format.framesPerPeriod)
    }

    /// Starts again in silence: drops the rest of every bus; the volume is `volume` from the first frame.
    public mutating func begin(volume: Volume) {
        stop()
        ducking = 1
        volumeGain = volume.gain
        chain?.reset()
        framesInChain = 0
    }

    /// How many frames sound is delayed: 0 without a chain, else at most 5 ms.
    public var latency: Int { chain?.latency ?? 0 }

    /// Drops what is left on every bus.
    public mutating func stop() {
        chime.stop()
        speech.stop()
    }

    /// Ends the sound of a bus without a click. Sound that has not begun is dropped.
    /// - Parameters:
    ///   - frames: how many more of it are played.
    ///   - fade: over how many of them it fades out.
    public mutating func end(_ bus: Bus, after frames: Int, fade: Int) { self[bus].end(after: frames, fade: fade) }

    /// The sample of a bus that is rendered next; below zero while its delay lasts.
    public func position(of bus: Bus) -> Int { self[bus].position }

    /// Puts sound on a bus, replacing what is left there.
    ///
    /// - Parameters:
    ///   - samples: mono, at the sink's rate.
    ///   - delay: frames of silence before it, counted from the next frame to be rendered.
    public mutating func play(_ samples: [Int16], on bus: Bus, after delay: Int = 0) {
        self[bus].play(samples, after: delay)
    }

    /// Whether every bus has ended and all of it was rendered.
    public var isFinished: Bool { framesInChain == 0 && chime.remaining == 0 && speech.remaining == 0 }

    /// Renders the next period into `period`, which is resized to exactly one; after the end of every bus it is
    /// silence.
    ///
    /// - Parameter volume: in force at the end of this period.
    public mutating func render(into period: inout [UInt8], volume: Volume) {
        if renderAlone(into: &period, volume.gain) { return }
        sum.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
        countFramesInChain()
        let speechBegins = max(0, -speech.position)
        let speechEnds = max(0, speech.remaining)
        chime.add(to: &sum)
        duck(during: min(speechBegins, speechEnds)..<speechEnds)
        speech.add(to: &sum)
        // The volume comes after the chain. Otherwise the chain would compensate a low volume, and mute would be late
        // by the chain's latency.
        chain?.process(&sum)
        apply(volume.gain)
        SampleWriter.write(sum, to: &period, as: format)
    }

    /// Renders the period in one pass if one bus sounds in all of it, or none, and no gain changes: nearly every period
    /// of an announcement. The bytes are the same.
    /// - Returns: whether it did.
    private mutating func renderAlone(into period: inout [UInt8], _ gain: Float) -> Bool {
        guard chain == nil, gain == volumeGain else { return false }
        let frames = format.framesPerPeriod
        switch (chime.share(of: frames), speech.share(of: frames)) {
        case (.nothing, .nothing) where ducking == 1:
            SampleWriter.writeSilence(frames: frames, to: &period, as: format)
        case (.all, .nothing) where ducking == 1:
            guard chime.write(frames, at: gain, to: &period, as: format) else { return false }
        case (.nothing, .all) where ducking == Self.duckedGain:
            guard speech.write(frames, at: gain, to: &period, as: format) else { return false }
        default: return false
        }
        chime.skip(frames)
        speech.skip(frames)
        return true
    }

    private mutating func apply(_ gain: Float) {
        // Usually nobody turns it.
        let ramp = gain == volumeGain ? 0 : min(sum.count, rampFrames)
        let (start, step, isLimited) = (volumeGain, (gain - volumeGain) / Float(max(1, ramp)), chain == nil)
        sum.withUnsafeMutableBufferPointer { sum in
            for frame in 0..<ramp { sum[frame] *= start + step * Float(frame &+ 1) }
            for frame in ramp..<sum.count { sum[frame] *= gain }
            if isLimited { SoftLimiter.limit(sum) }
        }
        volumeGain = gain
    }

    private mutating func countFramesInChain() {
        let last = min(max(chime.remaining, speech.remaining), sum.count)
        framesInChain = max(0, (last > 0 ? last + latency : framesInChain) - sum.count)
    }

    /// Ducks the chime under the speech in these frames of the period.
    private mutating func duck(during speech: Range<Int>) {
        let speech = speech.clamped(to: 0..<sum.count)
        duck(in: 0..<speech.lowerBound, to: 1)
        duck(in: speech, to: Self.duckedGain)
        duck(in: speech.upperBound..<sum.count, to: 1)
    }

    private mutating func duck(in frames: Range<Int>, to end: Float) {
        let step = duckingStep
        var (gain, frame) = (ducking, frames.lowerBound)
        sum.withUnsafeMutableBufferPointer { sum in
            while frame < frames.upperBound, gain != end {
                gain = end < gain ? max(end, gain - step) : min(end, gain + step)
                sum[frame] *= gain
                frame += 1
            }
            // Usually nothing is ducked, and nothing changes.
            guard end != 1 else { return }
            for frame in frame..<frames.upperBound { sum[frame] *= end }
        }
        ducking = gain
    }

    private subscript(bus: Bus) -> Track {
        get {
            switch bus {
            case .chime: chime
            case .speech: speech
            }
        }
        _modify {
            switch bus {
            case .chime: yield &chime
            case .speech: yield &speech
            }
        }
    }
}

/// The sound of one bus, and how far it has been played.
private struct Track: Sendable {
    private var samples: [Int16] = []
    /// The next frame to be rendered; below zero while its delay lasts.
    private(set) var position = 0

    /// Frames to the end, the delay included.
    var remaining: Int { samples.count - position }

    mutating func play(_ samples: [Int16], after delay: Int) {
        self.samples = samples
        position = samples.isEmpty ? 0 : -delay
    }

    mutating func stop() { self = Track() }

    mutating func end(after frames: Int, fade: Int) {
        guard position >= 0, remaining > 0 else { return stop() }
        var rest = Array(samples[position...].prefix(frames))
        for frame in 0..<min(fade, rest.count) {
            let sample = Float(rest[rest.count - 1 - frame]) * Float(frame) / Float(fade)
            rest[rest.count - 1 - frame] = Int16(sample.rounded())
        }
        samples = rest
        position = 0
    }

    /// Adds the next frames to `sum` and moves on.
    mutating func add(to sum: inout [Float]) {
        let begin = max(0, -position)
        let end = min(sum.count, remaining)
        // The compiler vectorises this loop.
        sum.withUnsafeMutableBufferPointer { sum in
            samples.withUnsafeBufferPointer { samples in
                guard begin < end else { return }
                for frame in begin..<end { sum[frame] += Float(samples[frame &+ position]) * (1 / 32768) }
            }
        }
        skip(sum.count)
    }

    mutating func skip(_ frames: Int) { position = min(position + frames, samples.count) }

    enum Share { case nothing, some, all }

    /// In how many of the next frames it sounds.
    func share(of frames: Int) -> Share {
        if remaining <= 0 || position <= -frames { return .nothing }
        return position >= 0 && remaining >= frames ? .all : .some
    }

    /// Writes the next frames, all of which sound, unless they must be limited.
    /// - Returns: whether they are written.
    func write(_ frames: Int, at gain: Float, to bytes: inout [UInt8], as format: PCMFormat) -> Bool {
        let next = samples[position..<position + frames]
        guard Speech.peak(of: next) * gain <= SoftLimiter.knee else { return false }
        next.withUnsafeBufferPointer { SampleWriter.write($0, at: gain, to: &bytes, as: format) }
        return true
    }
}

/// Keeps peaks below −1 dBFS without the crackle of clipping.
///
/// Nothing changes up to −2 dBFS. Above, the curve bends with a continuous slope and never reaches the ceiling, however
/// loud the sum of the buses is. It has no memory, so it neither pumps nor delays.
enum SoftLimiter {
    /// −2 dBFS.
    static let knee: Float = 0.794_33
    /// −1 dBFS: headroom for what a converter reconstructs between two samples.
    static let ceiling: Float = 0.891_25

    /// Limits all samples. Nearly always none is above the knee, which this finds out cheaply.
    static func limit(_ samples: UnsafeMutableBufferPointer<Float>) {
        // Bit patterns of magnitudes have the same order as the magnitudes, and integers are compared many at a time.
        var loudest: Int32 = 0
        for sample in samples { loudest = max(loudest, Int32(bitPattern: sample.bitPattern & 0x7FFF_FFFF)) }
        guard loudest > Int32(bitPattern: knee.bitPattern) else { return }
        for place in samples.indices { samples[place] = limit(samples[place]) }
    }

    static func limit(_ sample: Float) -> Float {
        let magnitude = abs(sample)
        guard magnitude > knee else { return sample }
        let excess = magnitude - knee
        let room = ceiling - knee
        let limited = knee + excess * room / (excess + room)
        return sample < 0 ? -limited : limited
    }
}
