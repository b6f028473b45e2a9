import SoundboxCore
import SoundboxSystem

/// Keeps a ring from running ahead of time where sound is taken as fast as it comes: a file would grow as fast as the
/// disk can write, and a device that discards everything would cost a whole processor.
struct Pace: Sendable {
    /// How far ahead a device may be: a sound server moves in steps of up to two seconds.
    private static let leadOfDevice = Duration.seconds(3)
    private static let leadOfFile = Duration.milliseconds(200)

    private let format: PCMFormat
    private let beginning = Duration.monotonicNow
    private var written = Duration.zero

    init(_ format: PCMFormat) { self.format = format }

    /// A period was written: waits for its time where that is far ahead, for a period at most.
    /// - Parameter bufferFrames: of the device; 0 when it is none.
    mutating func wait(bufferFrames: Int, until interruption: Interruption) {
        let buffer = format.duration(ofFrames: bufferFrames)
        let lead = bufferFrames == 0 ? Self.leadOfFile : buffer * 2 + Self.leadOfDevice
        let period = format.duration(ofFrames: format.framesPerPeriod)
        written += period
        let now = Duration.monotonicNow
        let excess = written - (now - beginning) - lead
        if excess > .zero { interruption.sleep(until: now + min(excess, period)) }
    }
}
