import SoundboxCore

extension PCMFormat {
    /// What sinks without a device of their own take: 48 kHz mono in 16 bits, in periods of 20 ms.
    public static let mono48kHz = PCMFormat(
        sampleRate: 48_000, channelCount: 1, encoding: .int16, framesPerPeriod: 960)
}
