import Logging
import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import SoundboxVoice

/// Handles recordings that cannot be read while the box runs.
extension AnnouncerService {
    func provenScript(for utterance: Utterance) async -> AnnouncementScript {
        let script = voices.provenScript(for: utterance)
        await reportRecordings()
        return script
    }

    func leaveOut(_ part: Voice.Part, _ error: RecordingError) async {
        voices.leaveOut(part, because: error)
        await reportRecordings()
    }

    /// Passes to the player, the state and the log which recordings are left out. Logs each broken one, a passing fault
    /// once, and its end once.
    func reportRecordings() async {
        player.use(voices)
        let broken = voices.broken.map(\.description)
        for reason in Set(broken).subtracting(reportedRecordings).sorted() {
            logger.error("recording left out", metadata: ["reason": "\(reason)"])
        }
        reportedRecordings = Set(broken)
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
        // Also with broken recordings: somebody may replace the files.
        if unavailable != nil || voices.brokenCount > 0 { tryRecordingsLater() }
    }

    /// Decodes every recording once that the start has not decoded. Leaves out the damaged ones. Of recordings with a
    /// passing problem, leaves out ``mostLeftOutForNow``: that raises the fault and makes every script be proven first.
    /// More would change nothing.
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
        // Clears the fault of a disk that did not answer.
        guard stuckProof != nil else { return }
        stuckProof = nil
        await reportRecordings()
    }

    /// Reports a disk that does not answer. So far it blocks only the proof; the next read would block too.
    func lookAfterProof() {
        guard stuckProof == nil, let prover, prover.timeInRecording > Self.longestRead else { return }
        let fault = "the recordings cannot be read: the disk does not answer"
        stuckProof = fault
        logger.error("recordings left out for now", metadata: ["reason": "\(fault)"])
        state.update { $0.unavailableRecordings = fault }
    }

    /// Tries the recordings again after ``recordingsRetryDelay``, so that the fault clears without a payment.
    func tryRecordingsLater() {
        guard recordingsRetry == nil else { return }
        recordingsRetry = Task {
            try? await Task.sleep(for: Self.recordingsRetryDelay)
            recordingsRetry = nil
            guard !Task.isCancelled else { return }
            voices.takeBackWhatCanBePlayed()
            await reportRecordings()
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
