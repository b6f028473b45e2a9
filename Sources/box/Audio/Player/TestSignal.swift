import Glibc
import SoundboxCore
import SoundboxSpeech
import SoundboxVoice

/// Plays sound for testing a loudspeaker: a tone of known level, and sound on one channel alone. The box itself never
/// plays either.
///
///     let signal = TestSignal(on: thread)
///     try await signal.playTone()
///     try await signal.playName(of: 0, by: voice)
public struct TestSignal: Sendable {
    /// Hertz. The usual frequency of level measurements.
    public static let frequency = 1000.0
    /// −20 dBFS, the alignment level of SMPTE RP 155: a sine of a tenth of full scale (a full-scale sine is 0 dBFS,
    /// AES17).
    public static let amplitude = 3276.7
    /// Long enough to hear and measure, short enough not to annoy.
    public static let duration = Duration.seconds(3)

    private let thread: SoundThread

    public init(on thread: SoundThread) { self.thread = thread }

    /// Opens the device and returns its format and counters.
    public func open() async throws(AudioSinkError) -> DeviceStatus { try await thread.open() }

    /// A sine on every channel, without a click at its ends.
    public func playTone() async throws(AudioSinkError) {
        let format = try await open().format
        let count = format.frames(in: Self.duration)
        let ramp = Float(format.sampleRate / 100)
        let samples = (0..<count).map { frame in
            let phase = Double(frame) * Self.frequency / Double(format.sampleRate) * 2 * .pi
            let fade = min(1, Float(min(frame, count - 1 - frame)) / ramp)
            return Int16((Float(Self.amplitude * sin(phase)) * fade).rounded())
        }
        try await play(samples, on: 0..<format.channelCount, of: format)
    }

    /// The channel's number, in the voice's words, on that channel alone.
    ///
    /// - Parameter channel: from 0; the left one of two.
    public func playName(of channel: Int, by voice: Voice) async throws {
        let format = try await open().format
        let word = try voice.writer.language.reading(ofDigit: (channel + 1) % 10)
        var samples: [Int16] = []
        for case .phrase(let index) in try voice.writer.script(ofText: word).elements {
            samples += try voice.samples(of: .phrase(index), at: format.sampleRate)
        }
        try await play(samples, on: channel..<(channel + 1), of: format)
    }

    /// Returns when the last frame was heard.
    private func play(_ samples: [Int16], on channels: Range<Int>, of format: PCMFormat) async throws(AudioSinkError) {
        try await thread.run { device throws(AudioSinkError) in
            var mixer = Mixer(format: format)
            var period: [UInt8] = []
            mixer.begin(volume: Volume(100))
            mixer.play(samples, on: .speech)
            while !mixer.isFinished {
                mixer.render(into: &period, volume: Volume(100))
                Self.silence(&period, outside: channels, of: format)
                try device.write(period)
            }
            try device.drain()
        }
    }

    /// Zero is silence in every encoding.
    private static func silence(_ period: inout [UInt8], outside channels: Range<Int>, of format: PCMFormat) {
        for place in period.indices {
            let channel = place % format.bytesPerFrame / format.encoding.bytesPerSample
            if !channels.contains(channel) { period[place] = 0 }
        }
    }
}
