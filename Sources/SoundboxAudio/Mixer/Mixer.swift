import SoundboxCore

/// Sums three buses, ducks, applies gains and the volume, limits, and writes frames in the sink's format.
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
    /// The gain of chime and ring for the sake of speech, at the end of the last period.
    private var ducking: Float = 1
    private let duckingStep: Float
    /// The gain of the volume at the end of the last period.
    private var masterGain: Float = 0
    private var sum: [Float]

    public init(format: PCMFormat) {
        self.format = format
        duckingStep = (1 - Self.duckedGain) / Float(max(1, format.frames(in: Self.duckingTime)))
        sum = [Float](repeating: 0, count: format.framesPerPeriod)
    }

    /// Begins anew in silence: what was left on any bus is dropped, and the volume is `volume` from the first frame.
    public mutating func begin(volume: Volume) {
        stop()
        ducking = 1
        masterGain = volume.gain
    }

    /// Drops what is left on every bus.
    public mutating func stop() {
        for bus in Bus.allCases { self[bus].stop() }
    }

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

    /// Whether every bus has ended.
    public var isFinished: Bool { Bus.allCases.allSatisfy { self[$0].remaining == 0 } }

    /// Renders the next period into `period`, which is resized to exactly one; silence follows the end of every bus.
    ///
    /// - Parameter volume: in force at the end of this period.
    public mutating func render(into period: inout [UInt8], volume: Volume) {
        for frame in sum.indices { sum[frame] = 0 }
        let speechBegins = max(0, -speech.position)
        let speechEnds = max(0, speech.remaining)
        chime.add(to: &sum)
        ring.add(to: &sum)
        duck(during: min(speechBegins, speechEnds)..<speechEnds)
        speech.add(to: &sum)
        let step = (volume.gain - masterGain) / Float(sum.count)
        for frame in sum.indices {
            sum[frame] = SoftLimiter.limit(sum[frame] * (masterGain + step * Float(frame + 1)))
        }
        masterGain = volume.gain
        SampleWriter.write(sum, to: &period, as: format)
    }

    /// Makes room for the speech that lies in these frames of the period.
    private mutating func duck(during speech: Range<Int>) {
        for frame in sum.indices {
            let isSpeaking = frame >= speech.lowerBound && frame < speech.upperBound
            ducking = isSpeaking ? max(Self.duckedGain, ducking - duckingStep) : min(1, ducking + duckingStep)
            sum[frame] *= ducking
        }
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
    private var gain: Float = 1
    var targetGain: Float = 1

    /// Frames to the end, the delay included.
    var remaining: Int { samples.count - position }

    mutating func play(_ samples: [Int16], after delay: Int) {
        self.samples = samples
        position = samples.isEmpty ? 0 : -delay
    }

    mutating func stop() {
        samples = []
        position = 0
        gain = targetGain
    }

    /// Adds the next frames to `sum` and moves on.
    mutating func add(to sum: inout [Float]) {
        let step = (targetGain - gain) / Float(sum.count)
        let first = max(0, -position)
        let end = min(sum.count, samples.count - position)
        if first < end {
            for frame in first..<end {
                sum[frame] += Float(samples[position + frame]) * (1 / 32768) * (gain + step * Float(frame + 1))
            }
        }
        gain = targetGain
        position = min(position + sum.count, samples.count)
    }
}
