import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice
import Synchronization

/// Does what somebody at the counter asks for by way of the control socket, where that is more than a button does.
struct ControlRequestHandler: Sendable {
    /// How long a question for events is held where nothing changes: shorter than a connection of the control socket
    /// lives.
    private static let patience = Duration.seconds(8)
    /// A payment that is stored begins to sound within milliseconds; one answer tells of both.
    private static let gathering = Duration.milliseconds(40)
    /// Between two codes: as long as it takes to say one.
    private static let restBetweenCodes = Duration.seconds(10)
    /// Behind more payments a code might come too late to be typed. That many are told within the minute.
    private static let mostWaiting = 10

    let history: HistoryRequestHandler
    let state: BoxState
    let quietTime: QuietTime
    let voices: Voices
    let executor: ThreadExecutor
    let loudness: @Sendable () -> Loudness
    let play: @Sendable (Announcer.Request) -> Void
    let status: @Sendable () async -> BoxStatus
    private let lastCode = LastCode()

    init(
        history: HistoryRequestHandler, state: BoxState, quietTime: QuietTime, voices: Voices, executor: ThreadExecutor,
        loudness: @escaping @Sendable () -> Loudness, play: @escaping @Sendable (Announcer.Request) -> Void,
        status: @escaping @Sendable () async -> BoxStatus
    ) {
        self.history = history
        self.state = state
        self.quietTime = quietTime
        self.voices = voices
        self.executor = executor
        self.loudness = loudness
        self.play = play
        self.status = status
    }

    private final class LastCode: Sendable {
        let time = Mutex<ContinuousClock.Instant?>(nil)
    }

    /// `version`, to ask for the next ones with; `last_sequence`, the number of the newest notice; and the `status`.
    func events(after known: Int) async -> JSONValue {
        var version = await state.version(otherThan: known, within: Self.patience)
        if version != known {
            try? await Task.sleep(for: Self.gathering)
            version = state.version
        }
        let last = await history.newest()
        return .object([
            ("version", .integer(version)), ("last_sequence", last.map { .integer($0) } ?? .null),
            ("status", await status().json),
        ])
    }

    func replay(_ sequence: Int64) async -> Result<Void, ControlRefusal> {
        switch await history.entry(sequence) {
        case .failure(let refusal): return .failure(ControlRefusal(.fault, refusal.reason))
        case .success(nil): return .failure(ControlRefusal(.unknown, "there is no notice \(sequence)"))
        case .success(let entry?):
            switch entry.state {
            case .announced, .expired:
                play(.notice(entry))
                return .success(())
            case .cancelled: return .failure(ControlRefusal(.untold, "it was taken back"))
            case .received, .announcing: return .failure(ControlRefusal(.untold, "it has not been told yet"))
            }
        }
    }

    func quietHours(_ change: QuietChange?) async -> Result<QuietReading, ControlRefusal> {
        guard let change else { return .success(quietTime.reading) }
        let work = Task(executorPreference: executor) { try quietTime.change(to: change) }
        do { try await work.value } catch {
            return .failure(ControlRefusal(.fault, "the quiet hours cannot be written down: \(error)"))
        }
        state.inboxChanged()
        return .success(quietTime.reading)
    }

    /// Aloud or not at all: a code that nobody can hear would only look like a fault.
    func speak(_ code: SignInCode) async -> Result<Void, ControlRefusal> {
        if quietTime.volumeNow != nil {
            return .failure(ControlRefusal(.quiet, "no code is said in quiet hours"))
        }
        let loudness = loudness()
        guard !loudness.isMuted, loudness.volume.level > 0 else {
            return .failure(ControlRefusal(.muted, "the box is muted, or its volume is 0"))
        }
        guard voices.script(for: .signInCode(code)).hasWords else {
            return .failure(ControlRefusal(.unspeakable, "the voice has no words for a code: prompts.sign_in_code"))
        }
        if let waiting = await status().counts?.waiting, waiting > Self.mostWaiting {
            return .failure(ControlRefusal(.busy, "\(waiting) payments are to be announced first"))
        }
        let isTooSoon = lastCode.time.withLock { last in
            if let last, .now - last < Self.restBetweenCodes { return true }
            last = .now
            return false
        }
        guard !isTooSoon else { return .failure(ControlRefusal(.busy, "a code was said a moment ago")) }
        play(.signInCode(.init(code, askedAt: .monotonicNow)))
        return .success(())
    }
}
