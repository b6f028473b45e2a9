import SoundboxCore
import Synchronization
import TestSupport

/// Speaks in tones: each text has one of its own. It can be told to fail, or to take its time.
public final class FakeSpeechSynthesizer: SpeechSynthesizer {
    private struct State {
        var failure: SpeechSynthesisError?
        var isHeld = false
        var held: [CheckedContinuation<Void, Never>] = []
    }

    /// Every text that was asked for.
    package let asked = Journal<String>()
    private let state = Mutex(State())

    public init() {}

    /// From now on every text fails so; `nil` ends it.
    public func fail(with failure: SpeechSynthesisError?) { state.withLock { $0.failure = failure } }

    /// From now on nothing becomes ready until ``release()``.
    public func hold() { state.withLock { $0.isHeld = true } }

    public func release() {
        let held = state.withLock { state in
            state.isHeld = false
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    public func speech(of text: String, in locale: String) async throws(SpeechSynthesisError) -> PCMSound {
        asked.append(text)
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                if state.isHeld { state.held.append(continuation) }
                return state.isHeld
            }
            if !isHeld { continuation.resume() }
        }
        if let failure = state.withLock(\.failure) { throw failure }
        return Self.sound(of: text)
    }

    /// A tenth of a second of a square wave.
    public static func sound(of text: String) -> PCMSound {
        let period = 20 + text.unicodeScalars.reduce(0) { ($0 + Int($1.value)) % 60 }
        return PCMSound(
            samples: (0..<4800).map { $0 % period < period / 2 ? 6000 : -6000 }, sampleRate: 48_000)
    }
}

/// Has the clips that a test has put into it.
public final class FakeClipSource: ClipSource {
    private struct State {
        var clips: [ClipReference: PCMSound] = [:]
        var kept: Set<ClipReference> = []
    }

    /// Every clip that was asked for.
    package let asked = Journal<ClipReference>()
    private let state = Mutex(State())

    public init() {}

    /// The clips that are not to be given up.
    public var kept: Set<ClipReference> { state.withLock(\.kept) }

    public func put(_ sound: PCMSound, at reference: ClipReference) {
        state.withLock { $0.clips[reference] = sound }
    }

    public func clip(_ reference: ClipReference) async throws(ClipError) -> PCMSound {
        asked.append(reference)
        guard let sound = state.withLock({ $0.clips[reference] }) else { throw ClipError("no server answers") }
        return sound
    }

    public func keep(_ references: Set<ClipReference>) async { state.withLock { $0.kept = references } }
}
