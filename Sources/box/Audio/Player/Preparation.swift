import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice
import Synchronization

/// What the sound thread prepares while the payment is being written to the disk. Any thread.
final class Preparation: Sendable {
    /// A device that was ready longer ago than this is opened anew.
    static let lifetime = Duration.seconds(1)

    typealias Outcome = Result<Void, PlayerError>

    let utterance: Utterance
    private let end = OneTimeSignal()
    private let outcome = Mutex<(result: Outcome, moment: Duration)?>(nil)
    private let written = Mutex<AnnouncementScript?>(nil)
    private let claimed = Atomic(false)
    private let answered = Atomic(false)

    init(for utterance: Utterance) { self.utterance = utterance }

    /// Only the first answer counts: a thread that was left behind may give another one later.
    func give(_ result: Outcome) {
        outcome.withLock { if $0 == nil { $0 = (result, .monotonicNow) } }
        answered.store(true, ordering: .releasing)
        end.signal()
    }

    var script: AnnouncementScript? {
        get { written.withLock { $0 } }
        set { written.withLock { $0 = newValue } }
    }

    /// Whether there is no answer yet.
    var isPending: Bool { !answered.load(ordering: .acquiring) }

    /// Whether the caller may use this: it is the first to ask, and the preparation is not too old.
    func claim() -> Bool {
        let isFresh = outcome.withLock { $0.map { $0.moment + Self.lifetime > .monotonicNow } ?? true }
        return isFresh && !claimed.exchange(true, ordering: .relaxed)
    }

    func result() async -> Outcome {
        await end.wait()
        return outcome.withLock { $0?.result } ?? .success(())
    }
}

extension Player {
    /// Prepares for an announcement that will follow if the disk takes its payment: opens the device, decodes the chime
    /// and finds the words while the disk works. Writes nothing to the device. If no announcement follows, the device
    /// is closed like any idle device.
    ///
    /// Does nothing while something plays, since the device is open then, nor while the device fails:
    /// ``play(_:_:until:began:)`` tries that again. Never blocks; any thread.
    public func expect(_ utterance: Utterance) {
        guard !isPlaying, let preparation = beginPreparation(for: utterance) else { return }
        thread.post { device in
            preparation.give(Result { () throws(PlayerError) in try self.perform(preparation, on: device) })
        } fail: { error in
            preparation.give(.failure(.sink(error)))
        }
    }

    private func perform(_ preparation: Preparation, on device: SoundDevice) throws(PlayerError) {
        // After ``close()`` the device must not be opened again.
        guard !isClosed else { return }
        try makeReady(device)
        preparation.script = currentVoices.script(for: preparation.utterance)
    }

    /// On the sound thread.
    func makeReady(_ device: SoundDevice) throws(PlayerError) {
        let format = try open(device)
        _ = try chime(of: currentVoices, at: format.sampleRate)
    }

    /// The script that ``expect(_:)`` has found for these words; `nil` if they were not expected, or if the recordings
    /// have changed since. Never blocks; any thread.
    public func expectedScript(for utterance: Utterance) -> AnnouncementScript? {
        guard let preparation, preparation.utterance == utterance else { return nil }
        return preparation.script
    }
}
