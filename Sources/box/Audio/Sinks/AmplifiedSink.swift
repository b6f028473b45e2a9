import SoundboxCore
import SoundboxSystem
import Synchronization

/// The amplifier behind a sink, and how long it takes to switch on and may take to switch off. Any thread.
///
///     let amplifier = Amplifier(lead: .milliseconds(50), lag: .seconds(2)) { isOn throws(PanelError) in
///         try panel.setAmplifier(isOn)
///     }
///     let sink = AmplifiedSink(ALSASink(device: "default"), amplifier: amplifier)
public final class Amplifier: Sendable {
    /// From switching on to the first sound; the sink plays silence meanwhile.
    package let lead: Duration
    /// From the last sound to switching off.
    package let lag: Duration
    private let turn: @Sendable (_ isOn: Bool) throws(PanelError) -> Void
    private let state = Mutex(State())

    private struct State {
        /// Counts the sinks that have had the amplifier; the last one has it now.
        var hand = 0
        var isOn = false
    }

    /// - Parameter turn: switches it. Must not block.
    public init(
        lead: Duration, lag: Duration, turn: @escaping @Sendable (_ isOn: Bool) throws(PanelError) -> Void
    ) {
        self.lead = lead
        self.lag = lag
        self.turn = turn
    }

    /// Gives the amplifier to a new sink, switched off. Requests of the sink before are ignored from now on: it may
    /// belong to a sound thread that a driver held for too long.
    package func acquire() -> Int {
        state.withLock { state in
            // An error is ignored: an amplifier that stays on wastes current and hides no sound.
            if state.isOn { try? turn(false) }
            state.isOn = false
            state.hand += 1
            return state.hand
        }
    }

    /// Does nothing if the amplifier is in that state already, or belongs to another sink.
    package func turn(_ isOn: Bool, by hand: Int) throws(PanelError) {
        try state.withLock { state throws(PanelError) in
            guard state.hand == hand, state.isOn != isOn else { return }
            // Noted as off even if the line fails, so that the next sound tries to switch it on.
            if !isOn { state.isOn = false }
            try turn(isOn)
            state.isOn = isOn
        }
    }
}

/// Plays on another sink and switches its amplifier on for the sound and off after it.
///
/// The amplifier goes on before the first frame and off ``Amplifier/lag`` after the last one was heard. Announcements
/// that follow each other within that time find it on and begin at once. It goes off at once when the device fails or
/// is closed. If it cannot be switched on, the sink throws and the announcement waits: sound that nobody hears must not
/// count as heard.
public final class AmplifiedSink: AudioSink, @unchecked Sendable {
    // Sendable by the port's promise: one thread calls everything but `interrupt`, which touches `primary` only.
    private let primary: any AudioSink
    private let amplifier: Amplifier
    private let hand: Int
    private let now: @Sendable () -> Duration
    private var format = PCMFormat.mono48kHz
    private var isOn = false
    /// When the lag has passed.
    private var offDue: Duration?

    /// - Parameter now: the clock of ``restDue``.
    public init(
        _ primary: any AudioSink, amplifier: Amplifier, now: @escaping @Sendable () -> Duration = { .monotonicNow }
    ) {
        self.primary = primary
        self.amplifier = amplifier
        self.now = now
        hand = amplifier.acquire()
    }

    public func open() throws(AudioSinkError) -> PCMFormat {
        do {
            format = try primary.open()
            return format
        } catch {
            turnOff()
            throw error
        }
    }

    public func write(_ frames: [UInt8]) throws(AudioSinkError) {
        offDue = nil
        do {
            if !isOn { try turnOn() }
            try primary.write(frames)
        } catch {
            turnOff()
            throw error
        }
    }

    public func drain() throws(AudioSinkError) {
        do { try primary.drain() } catch {
            turnOff()
            throw error
        }
        if isOn { offDue = now() + amplifier.lag }
    }

    public func checkDevice() throws(AudioSinkError) {
        do { try primary.checkDevice() } catch {
            turnOff()
            throw error
        }
    }

    public func interrupt() { primary.interrupt() }

    /// The amplifier goes off first, so that a click of the closing device is not heard.
    public func close() {
        turnOff()
        primary.close()
    }

    public var bufferFrames: Int { primary.bufferFrames }
    public var xrunCount: Int { primary.xrunCount }

    public var restDue: Duration? { [offDue, primary.restDue].compactMap(\.self).min() }

    public func rest() {
        if let offDue, offDue <= now() { turnOff() }
        primary.rest()
    }

    private func turnOn() throws(AudioSinkError) {
        do { try amplifier.turn(true, by: hand) } catch {
            primary.close()
            throw .writeFailed(device: "amplifier", reason: error.description)
        }
        isOn = true
        // Zero is silence in every encoding.
        let lead = [UInt8](repeating: 0, count: format.frames(in: amplifier.lead) * format.bytesPerFrame)
        try primary.write(lead)
    }

    private func turnOff() {
        offDue = nil
        guard isOn else { return }
        isOn = false
        // An error is ignored: an amplifier that stays on wastes current and hides no sound.
        try? amplifier.turn(false, by: hand)
    }
}
