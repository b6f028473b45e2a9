import SoundboxCore

extension PCMFormat {
    /// The format of sinks without a device: 48 kHz mono in 16 bits, in periods of 20 ms.
    public static let mono48kHz = PCMFormat(
        sampleRate: 48_000, channelCount: 1, encoding: .int16, framesPerPeriod: 960)
}
