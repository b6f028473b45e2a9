import SoundboxCore

extension PCMSound {
    /// The sound at a device's rate. Takes about a millisecond per second of sound on a small board.
    package func samples(at sampleRate: Int) throws(RecordingError) -> [Int16] {
        guard self.sampleRate > 0 else {
            throw .unusable(file: "sound", reason: "its rate is \(self.sampleRate) Hz; expected more than 0")
        }
        if sampleRate == self.sampleRate { return samples }
        let recording = Recording(
            name: "sound", sampleRate: self.sampleRate, samples: samples.map { Float($0) / 32768 })
        return try Resampler.resample(recording, to: sampleRate).pcm16
    }
}
