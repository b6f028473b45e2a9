import Logging
import SoundboxAudio
import SoundboxCore
import SoundboxVoice

/// What becomes of recordings that cannot be read while the box runs.
extension AnnouncerService {
    func provenScript(for utterance: Utterance) async -> AnnouncementScript {
        let script = voices.provenScript(for: utterance)
        await noteRecordings()
        return script
    }

    func leaveOut(_ part: Voice.Part, _ error: RecordingError) async {
        voices.leaveOut(part, because: error)
        if !error.isPassing { logger.error("recording left out", metadata: ["reason": "\(error)"]) }
        await noteRecordings()
    }

    /// Tells the player, the state and the log which recordings are done without now. A passing fault is told once, and
    /// so is its end.
    func noteRecordings() async {
        player.use(voices)
        let unavailable = voices.unavailable
        let hadFault = state.snapshot.unavailableRecordings != nil
        state.update {
            $0.unusableRecordings = voices.brokenCount
            $0.unavailableRecordings = unavailable.map { "\($0.example), and is tried again" }
        }
        if let unavailable {
            if !hadFault {
                logger.error("recordings left out for now", metadata: ["reason": "\(unavailable.example)"])
            }
        } else if hadFault {
            logger.notice("every recording can be had again")
        }
        // Broken ones as well: somebody may write them anew.
        if unavailable != nil || voices.brokenCount > 0 { tryRecordingsLater() }
    }

    /// Decodes every recording once, as far as the start has left that for later, one by one: what is to be said goes
    /// first. Stops when some in turn cannot be read for now, since a failing disk takes its time over each.
    func proveRecordings() async {
        var scratch: [Float] = []
        var failures = 0
        for part in voices.unproven {
            await Task.yield()
            guard !Task.isCancelled else { return }
            guard let problem = voices.problem(with: part, in: &scratch) else {
                failures = 0
                continue
            }
            await leaveOut(part, problem)
            failures += problem.isPassing ? 1 : 0
            if failures == Self.mostFailuresInTurn { return }
        }
    }

    /// A fault must clear when its cause is gone, and not only at the next payment.
    func tryRecordingsLater() {
        guard recordingsRetry == nil else { return }
        recordingsRetry = Task {
            try? await Task.sleep(for: Self.recordingsRetryDelay)
            recordingsRetry = nil
            guard !Task.isCancelled else { return }
            voices.takeBackWhatCanBePlayed()
            await noteRecordings()
        }
    }

    private static let mostFailuresInTurn = 3
    private static let recordingsRetryDelay = Duration.seconds(10)

    func reportNothingToPlay() {
        let isNew = state.snapshot.speechFault == nil
        state.update { $0.speechFault = PlayerError.nothingToPlay.description }
        if isNew {
            logger.error("nothing to announce with, trying again", metadata: ["reason": "\(PlayerError.nothingToPlay)"])
        }
    }
}
