import SoundboxCore

/// The amplifier behind a sink, and how long it takes to come and may take to go.
public struct Amplifier: Sendable {
    /// From switching on to the first sound, which is silent on the sink meanwhile.
    public var lead: Duration
    /// From the last sound to switching off.
    public var lag: Duration
    /// Switches it. Must not block.
    public var turn: @Sendable (_ isOn: Bool) throws(PanelError) -> Void

    public init(
        lead: Duration, lag: Duration, turn: @escaping @Sendable (_ isOn: Bool) throws(PanelError) -> Void
    ) {
        self.lead = lead
        self.lag = lag
        self.turn = turn
    }
}

/// Plays on another sink, with that sink's amplifier switched on for the sound and off without it.
///
/// It goes on before the first frame and off ``Amplifier/lag`` after the last one was heard, so announcements that
/// follow each other within that time find it on and begin at once. It goes off at once when the device fails or is
/// closed. Sound into an amplifier that cannot be switched on would count as heard and be heard by nobody: that is an
/// error of the sink, and the announcement waits.
public actor AmplifiedSink: AudioSink {
    private let primary: any AudioSink
    private let amplifier: Amplifier
    private let sleep: @Sendable (Duration) async throws -> Void
    private var format = PCMFormat.mono48kHz
    private var isOn = false
    /// Switches off after the lag; cancelled by the next frame.
    private var turningOff: Task<Void, Never>?

    /// - Parameter sleep: waits for the lag to pass.
    public init(
        _ primary: any AudioSink, amplifier: Amplifier,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.primary = primary
        self.amplifier = amplifier
        self.sleep = sleep
    }

    public func open() async throws(AudioSinkError) -> PCMFormat {
        do {
            format = try await primary.open()
            return format
        } catch {
            turnOff()
            throw error
        }
    }

    public func write(_ frames: [UInt8]) async throws(AudioSinkError) {
        turningOff?.cancel()
        do {
            if !isOn { try await turnOn() }
            try await primary.write(frames)
        } catch {
            turnOff()
            throw error
        }
    }

    public func drain() async throws(AudioSinkError) {
        do { try await primary.drain() } catch {
            turnOff()
            throw error
        }
        guard isOn else { return }
        turningOff?.cancel()
        turningOff = Task {
            do { try await sleep(amplifier.lag) } catch { return }
            // On this actor, where no frame can come between the look and the call.
            if !Task.isCancelled { turnOff() }
        }
    }

    /// Before the device goes, so that what it does to its line is not heard.
    public func close() async {
        turnOff()
        await primary.close()
    }

    public var xrunCount: Int { get async { await primary.xrunCount } }

    public func setVolume(_ level: Int) async -> Bool { await primary.setVolume(level) }

    public var bufferFrames: Int { get async { await primary.bufferFrames } }

    private func turnOn() async throws(AudioSinkError) {
        do { try amplifier.turn(true) } catch {
            await primary.close()
            throw .writeFailed(device: "amplifier", reason: error.description)
        }
        isOn = true
        var remaining = format.frames(in: amplifier.lead)
        while remaining > 0 {
            let count = min(remaining, format.framesPerPeriod)
            // Zero is silence in every encoding.
            try await primary.write([UInt8](repeating: 0, count: count * format.bytesPerFrame))
            remaining -= count
        }
    }

    private func turnOff() {
        turningOff?.cancel()
        turningOff = nil
        guard isOn else { return }
        isOn = false
        // One that stays on costs current and masks nothing.
        try? amplifier.turn(false)
    }
}
