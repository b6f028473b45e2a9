import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice
import Synchronization

/// What the sound thread makes ready while the payment that it is for is on its way to the disk. Any thread.
final class Preparation: Sendable {
    /// A device that was ready longer ago is asked anew.
    static let lifetime = Duration.seconds(1)

    typealias Outcome = Result<Void, PlayerError>

    let utterance: Utterance
    private let end = OneTimeSignal()
    private let outcome = Mutex<(result: Outcome, moment: Duration)?>(nil)
    private let written = Mutex<AnnouncementScript?>(nil)
    private let taken = Atomic(false)
    private let answered = Atomic(false)

    init(for utterance: Utterance) { self.utterance = utterance }

    /// The first answer counts: a thread that was left behind may have another one later.
    func give(_ result: Outcome) {
        outcome.withLock { if $0 == nil { $0 = (result, .monotonicNow) } }
        answered.store(true, ordering: .releasing)
        end.signal()
    }

    var script: AnnouncementScript? {
        get { written.withLock { $0 } }
        set { written.withLock { $0 = newValue } }
    }

    /// Whether it is still to be answered.
    var isPending: Bool { !answered.load(ordering: .acquiring) }

    /// Whether this is for the caller, who is the first, and not too old.
    func take() -> Bool {
        let isFresh = outcome.withLock { $0.map { $0.moment + Self.lifetime > .monotonicNow } ?? true }
        return isFresh && !taken.exchange(true, ordering: .relaxed)
    }

    func result() async -> Outcome {
        await end.wait()
        return outcome.withLock { $0?.result } ?? .success(())
    }
}

extension Player {
    /// Something is about to be announced, if the disk takes it: has the device opened and the chime decoded, and the
    /// words found, while the disk is at work. Nothing is written to the device. What is opened for nothing is closed
    /// as any device that is idle.
    ///
    /// Does nothing while something plays: then the device is open. Nor while the device fails: whoever has
    /// something to play tries that again in his own time. Never blocks; any thread.
    public func expect(_ utterance: Utterance) {
        guard !isPlaying, let preparation = beginPreparation(for: utterance) else { return }
        thread.post { device in
            preparation.give(Result { () throws(PlayerError) in try self.perform(preparation, on: device) })
        } fail: { error in
            preparation.give(.failure(.sink(error)))
        }
    }

    private func perform(_ preparation: Preparation, on device: SoundDevice) throws(PlayerError) {
        // Whoever has closed the player for good wants no open device behind that.
        guard !isClosed else { return }
        try makeReady(device)
        preparation.script = currentVoices.script(for: preparation.utterance)
    }

    /// On the sound thread.
    func makeReady(_ device: SoundDevice) throws(PlayerError) {
        let format = try open(device)
        _ = try chime(of: currentVoices, at: format.sampleRate)
    }

    /// What ``expect(_:)`` has found for these words; `nil` when they were not expected, or the recordings are others
    /// since. Never blocks; any thread.
    public func expectedScript(for utterance: Utterance) -> AnnouncementScript? {
        guard let preparation, preparation.utterance == utterance else { return nil }
        return preparation.script
    }
}
