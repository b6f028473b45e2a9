import Logging
import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
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
            $0.unavailableRecordings = unavailable.map { "\($0.example), and is tried again" } ?? stuckProof
        }
        if let unavailable {
            if !hadFault {
                logger.error("recordings left out for now", metadata: ["reason": "\(unavailable.example)"])
            }
        } else if hadFault, stuckProof == nil {
            logger.notice("every recording can be had again")
        }
        // Broken ones as well: somebody may write them anew.
        if unavailable != nil || voices.brokenCount > 0 { tryRecordingsLater() }
    }

    /// Has every recording decoded once, as far as the start has left that for later. Damaged ones are left out. Of those
    /// that cannot be had for now some are, which makes it a fault and has all that is spoken proven first; each of
    /// hundreds would change nothing more.
    func proveRecordings() async {
        let parts = voices.unproven
        guard !parts.isEmpty else { return }
        let prover = RecordingProver()
        self.prover = prover
        defer { self.prover = nil }
        var rest = parts[...]
        var passing = 0
        while let (index, problem) = await prover.firstProblem(among: rest, in: voices), !Task.isCancelled {
            rest = parts[(index + 1)...]
            passing += problem.isPassing ? 1 : 0
            if !problem.isPassing || passing <= Self.mostLeftOutForNow { await leaveOut(parts[index], problem) }
        }
        // What was told of a disk that did not answer.
        guard stuckProof != nil else { return }
        stuckProof = nil
        await noteRecordings()
    }

    /// A disk that does not answer holds up nothing but the proof so far, and whoever needs the disk next.
    func lookAfterProof() {
        guard stuckProof == nil, let prover, prover.timeInRecording > Self.longestRead else { return }
        let fault = "the recordings cannot be read: the disk does not answer"
        stuckProof = fault
        logger.error("recordings left out for now", metadata: ["reason": "\(fault)"])
        state.update { $0.unavailableRecordings = fault }
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

    private static let mostLeftOutForNow = 3
    private static let longestRead = Duration.seconds(5)
    private static let recordingsRetryDelay = Duration.seconds(10)

    func reportNothingToPlay() {
        let isNew = state.snapshot.speechFault == nil
        state.update { $0.speechFault = PlayerError.nothingToPlay.description }
        if isNew {
            logger.error("nothing to announce with, trying again", metadata: ["reason": "\(PlayerError.nothingToPlay)"])
        }
    }
}
