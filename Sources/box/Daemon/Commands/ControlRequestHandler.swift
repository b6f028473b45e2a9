import ServiceLifecycle
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice
import Synchronization

/// Serves the control routes for replays, trials and sign-in codes.
struct ControlRequestHandler: Sendable {
    /// Between two codes: about the time to say one.
    private static let restBetweenCodes = Duration.seconds(10)
    /// With more payments ahead, the code could come after ``Announcer/AskedCode/timeout``.
    private static let mostWaiting = 10

    let history: HistoryRequestHandler
    let inbox: any Inbox
    let state: BoxState
    let volume: VolumeControl
    let quietTime: QuietTime
    let voices: Voices
    let executor: ThreadExecutor
    let requests: AnnouncerRequests
    let lastCode = LastCode()

    final class LastCode: Sendable {
        let time = Mutex<ContinuousClock.Instant?>(nil)
    }

    init(in box: BoxContext, _ history: HistoryRequestHandler, _ volume: VolumeControl, _ quietTime: QuietTime) {
        (self.history, self.volume, self.quietTime) = (history, volume, quietTime)
        (inbox, state, voices, executor, requests) = (box.inbox, box.state, box.voices, box.files, box.requests)
    }

    private func replay(_ sequence: Int64) async throws {
        guard let entry = try await history.entry(sequence) else {
            throw ControlRefusal(.unknown, "there is no notice \(sequence)")
        }
        switch entry.state {
        case .announced, .expired: requests.play(.notice(entry))
        case .cancelled: throw ControlRefusal(.untold, "it was taken back")
        case .received, .announcing: throw ControlRefusal(.untold, "it has not been told yet")
        }
    }

    /// Refuses a code that nobody could hear: silence would look like a fault.
    private func speak(_ code: SignInCode) async throws {
        guard quietTime.volumeNow == nil else { throw ControlRefusal(.quiet, "no code is said in quiet hours") }
        let loudness = volume.loudness
        guard !loudness.isMuted, loudness.volume.level > 0 else {
            throw ControlRefusal(.muted, "the box is muted, or its volume is 0")
        }
        if let fault = state.snapshot.audioFault { throw ControlRefusal(.fault, fault) }
        guard voices.script(for: .signInCode(code)).hasWords else {
            throw ControlRefusal(.unspeakable, "the voice has no words for a code: prompts.sign_in_code")
        }
        let waiting = await Task(executorPreference: executor) { try? inbox.counts().waiting }.value
        if let waiting, waiting > Self.mostWaiting {
            throw ControlRefusal(.busy, "\(waiting) payments are to be announced first")
        }
        let isTooSoon = lastCode.time.withLock { last in
            if let last, .now - last < Self.restBetweenCodes { return true }
            last = .now
            return false
        }
        guard !isTooSoon else { throw ControlRefusal(.busy, "a code was said a moment ago") }
        requests.play(.signInCode(.init(code, askedAt: .monotonicNow)))
    }
}

extension ControlRequestHandler: Feature {
    var routes: [ControlRoute] {
        [
            ControlRoute(.post, "replay", isForPhones: true) { request in
                switch try request.json {
                case nil: requests.play(.last)
                case .object(let members)? where members.isEmpty: requests.play(.last)
                case let json?:
                    // A misspelt name must not replay the last payment instead of the one that was meant.
                    guard let sequence = json["sequence"]?.integer, sequence > 0 else {
                        throw ControlRefusal(.invalid, "sequence: expected a whole number greater than 0")
                    }
                    try await replay(Int64(sequence))
                }
                return .json(.object([("replay", .bool(true))]))
            },
            ControlRoute(.post, "trial", isForPhones: true) { _ in
                requests.say(.greeting)
                return .json(.object([("trial", .bool(true))]))
            },
            ControlRoute(.post, "sign-in-code") { request in
                guard let code = try request.json?["code"]?.string.flatMap(SignInCode.init) else {
                    throw ControlRefusal(.invalid, "code: expected six digits")
                }
                try await speak(code)
                return .json(.object([("sign_in_code", .bool(true))]))
            },
        ]
    }
}

/// Serves the routes and metrics of all features.
struct ControlService: Feature {
    private let box: BoxContext
    private let reporter: StatusReporter

    init(in box: BoxContext, _ reporter: StatusReporter) { (self.box, self.reporter) = (box, reporter) }

    var services: [any Service] {
        box.serve(box.features.all.flatMap(\.routes)) { [reporter] in await reporter.allMetrics() }
    }
}
