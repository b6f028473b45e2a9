import SoundboxCore
import SoundboxSystem
import Synchronization

/// The amplifier behind a sink, and how long it takes to come and may take to go. Any thread.
public final class Amplifier: Sendable {
    /// From switching on to the first sound, which is silent on the sink meanwhile.
    package let lead: Duration
    /// From the last sound to switching off.
    package let lag: Duration
    private let turn: @Sendable (_ isOn: Bool) throws(PanelError) -> Void
    private let state = Mutex(State())

    private struct State {
        /// Counts those who have had it in hand; the last one has it now.
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

    /// Gives it to a new sink, switched off. What the sink before asks for from now on is ignored: it may belong to a
    /// sound thread that a driver held for too long.
    package func takeInHand() -> Int {
        state.withLock { state in
            // One that stays on costs current and masks nothing.
            if state.isOn { try? turn(false) }
            state.isOn = false
            state.hand += 1
            return state.hand
        }
    }

    /// Does nothing when it is so already, or in another hand.
    package func turn(_ isOn: Bool, by hand: Int) throws(PanelError) {
        try state.withLock { state throws(PanelError) in
            guard state.hand == hand, state.isOn != isOn else { return }
            // Off even when the line fails: the next sound tries to switch it on.
            if !isOn { state.isOn = false }
            try turn(isOn)
            state.isOn = isOn
        }
    }
}

/// Plays on another sink, with that sink's amplifier switched on for the sound and off without it.
///
/// It goes on before the first frame and off ``Amplifier/lag`` after the last one was heard, so announcements that
/// follow each other within that time find it on and begin at once. It goes off at once when the device fails or is
/// closed. Sound into an amplifier that cannot be switched on would count as heard and be heard by nobody: that is an
/// error of the sink, and the announcement waits.
public final class AmplifiedSink: AudioSink, @unchecked Sendable {
    // Sendable by the port's promise: one thread calls everything but `interrupt`, which touches `primary` only.
    private let primary: any AudioSink
    private let amplifier: Amplifier
    private let hand: Int
    private let now: @Sendable () -> Duration
    private var format = PCMFormat.mono48kHz
    private var isOn = false
    /// When the lag is over.
    private var offDue: Duration?

    /// - Parameter now: the clock of ``restDue``.
    public init(
        _ primary: any AudioSink, amplifier: Amplifier, now: @escaping @Sendable () -> Duration = { .monotonicNow }
    ) {
        self.primary = primary
        self.amplifier = amplifier
        self.now = now
        hand = amplifier.takeInHand()
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

    public func look() throws(AudioSinkError) {
        do { try primary.look() } catch {
            turnOff()
            throw error
        }
    }

    public func interrupt() { primary.interrupt() }

    /// Before the device goes, so that what it does to its line is not heard.
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
        // One that stays on costs current and masks nothing.
        try? amplifier.turn(false, by: hand)
    }
}
