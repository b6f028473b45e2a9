import SoundboxCore

/// Sums the buses of a timeline, applies the volume, limits, and writes frames in the sink's format.
///
/// Pure: the same timeline and volumes give the same bytes. Rendering a period allocates nothing.
public struct Mixer: Sendable {
    /// Peaks end here: −1 dBFS, headroom for the reconstruction between samples.
    public static let ceiling: Float = 0.891_25

    public let format: PCMFormat
    private var chime = BusReader(Bus([]))
    private var speech = BusReader(Bus([]))
    private var remainingFrames = 0
    /// The gain at the end of the last period: the next one starts from here, so that a change makes no click.
    private var gain: Float = 0
    private var sum: [Float]

    public init(format: PCMFormat) {
        self.format = format
        sum = [Float](repeating: 0, count: format.framesPerPeriod)
    }

    /// Begins a timeline; what was left of the one before is dropped.
    public mutating func begin(_ timeline: Timeline, volume: Volume) {
        chime = BusReader(timeline.chime)
        speech = BusReader(timeline.speech)
        remainingFrames = timeline.frameCount
        gain = volume.gain
    }

    public var isFinished: Bool { remainingFrames == 0 }

    /// Renders the next period into `period`, which is resized to exactly one; silence follows the end.
    ///
    /// - Parameter volume: reached at the end of this period by a straight ramp.
    public mutating func render(into period: inout [UInt8], volume: Volume) {
        for frame in sum.indices { sum[frame] = 0 }
        chime.add(to: &sum)
        speech.add(to: &sum)
        let step = (volume.gain - gain) / Float(sum.count)
        for frame in sum.indices {
            let sample = sum[frame] * (gain + step * Float(frame + 1))
            sum[frame] = min(max(sample, -Self.ceiling), Self.ceiling)
        }
        gain = volume.gain
        remainingFrames -= min(remainingFrames, sum.count)
        SampleWriter.write(sum, to: &period, as: format)
    }
}

/// A place in a bus.
private struct BusReader: Sendable {
    private let clips: [Bus.Clip]
    private var clip = 0
    private var frame = 0

    init(_ bus: Bus) { clips = bus.clips }

    /// Adds the next frames to `sum` and moves on.
    mutating func add(to sum: inout [Float]) {
        var filled = 0
        while filled < sum.count, clip < clips.count {
            let count = min(clips[clip].frameCount - frame, sum.count - filled)
            if case .samples(let samples) = clips[clip] {
                for offset in 0..<count {
                    sum[filled + offset] += Float(samples[frame + offset]) / 32768
                }
            }
            filled += count
            frame += count
            if frame == clips[clip].frameCount {
                clip += 1
                frame = 0
            }
        }
    }
}
