import SoundboxCore

/// Plays on one sink and has a ``Recorder`` record what that sink took.
///
/// The recording never holds up or stops the sound.
public final class TeeSink: AudioSink {
    private let primary: any AudioSink
    private let recorder: Recorder

    public init(primary: any AudioSink, recorder: Recorder) {
        self.primary = primary
        self.recorder = recorder
    }

    public func open() throws(AudioSinkError) -> PCMFormat {
        let format = try primary.open()
        recorder.begin(in: format)
        return format
    }

    public func write(_ frames: [UInt8]) throws(AudioSinkError) {
        try primary.write(frames)
        recorder.take(frames)
    }

    public func drain() throws(AudioSinkError) { try primary.drain() }

    public func look() throws(AudioSinkError) { try primary.look() }

    /// The recording keeps what the device took.
    public func interrupt() { primary.interrupt() }

    /// Returns once the recording is complete, too, unless its disk hangs.
    public func close() {
        primary.close()
        recorder.close()
    }

    public func setVolume(_ level: Int) -> Bool { primary.setVolume(level) }
    public var bufferFrames: Int { primary.bufferFrames }
    public var xrunCount: Int { primary.xrunCount }
    public var restDue: Duration? { primary.restDue }
    public func rest() { primary.rest() }
}
