import SoundboxCore
import Synchronization
import TestSupport

/// A synthesiser that makes a tone for each text. It can fail, or wait:
///
///     let synthesizer = FakeSpeechSynthesizer()
///     synthesizer.fail(with: .unavailable(reason: "not installed"))
public final class FakeSpeechSynthesizer: SpeechSynthesizer {
    private struct State {
        var failure: SpeechSynthesisError?
        var isHeld = false
        var held: [CheckedContinuation<Void, Never>] = []
    }

    /// Every requested text.
    package let asked = Journal<String>()
    private let state = Mutex(State())

    public init() {}

    /// Makes every text fail with this from now on; `nil` ends it.
    public func fail(with failure: SpeechSynthesisError?) { state.withLock { $0.failure = failure } }

    /// Delays every text from now on until ``release()``.
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

    /// 0.1 s of a square wave at 48 kHz.
    public static func sound(of text: String) -> PCMSound {
        let period = 20 + text.unicodeScalars.reduce(0) { ($0 + Int($1.value)) % 60 }
        return PCMSound(
            samples: (0..<4800).map { $0 % period < period / 2 ? 6000 : -6000 }, sampleRate: 48_000)
    }
}

/// A clip source with the clips of a test.
public final class FakeClipSource: ClipSource {
    private struct State {
        var clips: [ClipReference: PCMSound] = [:]
        var kept: Set<ClipReference> = []
    }

    /// Every requested clip.
    package let asked = Journal<ClipReference>()
    private let state = Mutex(State())

    public init() {}

    /// The clips of the last ``keep(_:)``.
    public var kept: Set<ClipReference> { state.withLock(\.kept) }

    public func put(_ sound: PCMSound, at reference: ClipReference) {
        state.withLock { $0.clips[reference] = sound }
    }

    public func clip(_ reference: ClipReference) async throws(ClipError) -> PCMSound {
        asked.append(reference)
        guard let sound = state.withLock({ $0.clips[reference] }) else { throw ClipError("no server answers") }
        return sound
    }

    public func problem(of reference: ClipReference) -> String? { nil }

    public func keep(_ references: Set<ClipReference>) async { state.withLock { $0.kept = references } }
}
