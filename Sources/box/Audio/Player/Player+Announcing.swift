import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice
import Synchronization

// MARK: Announcements, on the sound thread

extension Player {
    func perform(
        _ script: AnnouncementScript, _ delivery: Delivery, _ turn: Turn, on device: SoundDevice
    ) throws(PlayerError) -> Outcome {
        if turn.isStopped { throw .cancelled }
        if turn.end.isRaised { return .stoppedEarly }
        Timeline.shared.mark(.playBegun)
        let voices = currentVoices
        let hasChime = delivery.hasChime && voices.hasChime
        guard hasChime || script.hasWords else { throw .nothingToPlay }
        let format = try open(device)
        let chime = hasChime ? try chime(of: voices, at: format.sampleRate) : []
        var announcement = Announcing(
            script, delivery, timing, turn, voices, chime: chime, decoded: decoded,
            on: takeMixer(for: format), at: wanted(delivery).volume)
        // Not a frame of it was written.
        if turn.end.isRaised { return .stoppedEarly }
        try perform(&announcement, delivery, on: device)
        keep(announcement.mixer, DeviceStatus(device, format))
        return turn.end.isRaised ? .stoppedEarly : .heard(announcement.audibility)
    }

    /// Returns when the last frame has left the speaker.
    private func perform(
        _ announcement: inout Announcing, _ delivery: Delivery, on device: SoundDevice
    ) throws(PlayerError) {
        let turn = announcement.turn
        var isFirst = true
        while !announcement.isFinished {
            if turn.isStopped {
                // The device still holds frames that must not be heard, and an interrupt from before its opening has
                // not reached it.
                device.close()
                throw .cancelled
            }
            let wanted = wanted(delivery)
            let period = try announcement.nextPeriod(wanted.volume, isMuted: wanted.isMuted)
            if isFirst { Timeline.shared.mark(.periodMixed) }
            try played(turn) { () throws(AudioSinkError) in try device.write(period) }
            turn.noteWritten()
            if isFirst { Timeline.shared.mark(.writeEnded) }
            isFirst = false
            // The device is ahead by its buffer now; decoding one recording takes a fraction of that.
            try announcement.decodeNext()
        }
        try played(turn) { () throws(AudioSinkError) in try device.drain() }
    }

    private func wanted(_ delivery: Delivery) -> (volume: Volume, isMuted: Bool) {
        let isMuted = isMuted
        let volume = min(max(volume, delivery.loudness.lowerBound), delivery.loudness.upperBound)
        return (isMuted ? Volume(0) : volume, isMuted)
    }

    /// An interrupt of the device was meant for this announcement. It ends the announcement and is no fault of the
    /// device.
    private func played(_ turn: Turn, _ body: () throws(AudioSinkError) -> Void) throws(PlayerError) {
        do { try body() } catch .interrupted where turn.isStopped {
            throw .cancelled
        } catch {
            throw .sink(error)
        }
    }
}

/// The state of one announcement, from its request to its answer. Any thread.
final class Turn: Sendable {
    let end: EarlyEnd
    /// Called with the places of the script's elements.
    let wereLaid: @Sendable ([Range<Int>]) -> Void
    /// Called when the first frames were written.
    private let began: @Sendable () -> Void
    private let hasBegun = Atomic(false)
    private let stopped = Atomic(false)

    init(
        until end: EarlyEnd, wereLaid: @escaping @Sendable ([Range<Int>]) -> Void = { _ in },
        began: @escaping @Sendable () -> Void = {}
    ) {
        self.end = end
        self.wereLaid = wereLaid
        self.began = began
    }

    /// Whether it must end at once: cancelled or interrupted.
    var isStopped: Bool { stopped.load(ordering: .acquiring) }
    func stop() { stopped.store(true, ordering: .releasing) }

    /// The device has taken a period of it.
    func noteWritten() { if !hasBegun.exchange(true, ordering: .relaxed) { began() } }
}

/// Ends one announcement early, at the next end of a word that is not inside an amount.
///
///     let end = EarlyEnd()
///     async let outcome = player.play(script, until: end)
///     end.raise()
///
/// It belongs to one announcement only, so it may be raised before that one begins, and long after. Any thread; never
/// blocks.
public final class EarlyEnd: Sendable {
    private let raised = Atomic(false)

    public init() {}

    /// Whether the announcement is to end.
    public var isRaised: Bool { raised.load(ordering: .acquiring) }

    public func raise() { raised.store(true, ordering: .releasing) }
}

/// Why an announcement was not heard to its end.
public enum PlayerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The device failed. Play the announcement again from its start when the device is back.
    case sink(AudioSinkError)
    /// A recording that could be decoded at the start cannot be decoded now: the disk fails, or somebody changed the
    /// file. Leave it out and word the announcement without it.
    case recording(Voice.Part, RecordingError)
    /// Sound that is no recording of the voice cannot be converted to the device's rate.
    case sound(RecordingError)
    /// There is neither a word nor a chime to play: silence must not count as heard.
    case nothingToPlay
    /// Interrupted, or the task was cancelled.
    case cancelled

    public var description: String {
        switch self {
        case .sink(let error): error.description
        case .recording(_, let error), .sound(let error): error.description
        case .nothingToPlay: "no recording can be played, not even the chime"
        case .cancelled: "stopped in the middle"
        }
    }
}
