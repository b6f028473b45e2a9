import Logging
import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice

/// How one announcement is played.
extension AnnouncerService {
    /// How long the next one waits for a notice's text that is still being made when the notice has been heard.
    private static let timeoutForText = Duration.seconds(1)

    func play(_ announcement: Announcer.Announcement) async -> Announcer.Outcome {
        defer {
            nowPlaying.end()
            if let steps = Timeline.shared.take() {
                logger.trace("timeline", metadata: ["microseconds": "\(steps)"])
            }
        }
        let job = announcement.job
        let earlyEnd = job.isAnswer ? EarlyEnd() : nowPlaying.earlyEnd
        // Cancelled while it was being noted, or before, and the disk would not say so.
        if earlyEnd.isRaised { return .withdrawn }
        if case .ring(_, let words) = job { return await ring(words, announcement, until: earlyEnd) }
        announcementCount += 1
        let pattern = pattern(of: job)
        state.update {
            $0.announcement = announcementCount
            $0.announcing = job.entries.map(\.sequence)
            $0.announcementPattern = pattern
        }
        defer {
            state.update {
                $0.announcement = nil
                $0.announcing = []
                $0.announcementPattern = nil
            }
        }
        do throws(PlayerError) {
            if case .say(_, let script, _) = job { return try await say(script, announcement, until: earlyEnd) }
            if case .text(let entry) = job { return try await sayText(of: entry, announcement) }
            return try await tell(announcement, until: earlyEnd)
        } catch {
            unheard = job.entries.map(\.sequence)
            // A prompt has no chime, and is not waited for.
            if case .prompt = job, error == .nothingToPlay { return .failed }
            // A voice that has lost the kind, and has no words for such a case, will not find them by being asked
            // again. Its receipt tells that it was not said.
            if case .notice(let entry) = job, entry.notice.kind.isOther, error == .nothingToPlay {
                logger.error(
                    "not said: the voice has no words for it",
                    metadata: job.logMetadata(["kind": "\(entry.notice.kind.rawValue)"]))
                return .played(.withoutAmount)
            }
            await handle(error)
            return .failed
        }
    }

    /// What light and vibration do, where it is of a kind that has its own.
    private func pattern(of job: Announcer.Job) -> OutputPattern? {
        switch job {
        case .notice(let entry): return pattern(of: entry)
        // The notice goes on: nothing flashes or vibrates once more.
        case .text(let entry):
            return OutputPattern(ending: (pattern(of: entry) ?? Indication.announcing.pattern).ending)
        case .say(let entry, _, _):
            guard case .kind(let kind, _) = entry.customMessage.content else { return nil }
            return voices.pattern(of: kind)
        default: return nil
        }
    }

    private func pattern(of entry: InboxEntry) -> OutputPattern? {
        guard case .other(let kind) = entry.notice.kind else { return nil }
        return voices.pattern(of: kind)
    }

    private func tell(
        _ announcement: Announcer.Announcement, until earlyEnd: EarlyEnd
    ) async throws(PlayerError) -> Announcer.Outcome {
        let job = announcement.job
        guard let utterance = job.utterance else { return .failed }
        var firstFrame: BoxMetrics.FirstFrame?
        if case .notice(let entry) = job {
            makeText(of: entry)
            firstFrame = metrics?.firstFrame(of: entry)
        }
        // However it ends: what began to sound has been heard to begin.
        defer { if let firstFrame { metrics?.tried(firstFrame) } }
        let (outcome, lacksAmount) = try await speak(
            utterance, announcement, until: earlyEnd, began: { [firstFrame] in firstFrame?.isNow() })
        unheard = []
        noteDevice()
        noteSound()
        guard case .heard(let audibility) = outcome else { return nowPlaying.isWritten ? .stoppedEarly : .withdrawn }
        switch job {
        case .prompt(let prompt) where audibility == .aloud: promptWasHeard(prompt)
        case .prompt, .signInCode:
            if audibility != .aloud {
                logger.notice("said, and not heard", metadata: job.logMetadata(["told": "\(audibility.rawValue)"]))
            }
        default: break
        }
        return .played(audibility == .aloud && lacksAmount ? .withoutAmount : audibility)
    }

    /// Words it anew for as long as recordings of it turn out to be lost.
    private func speak(
        _ utterance: Utterance, _ announcement: Announcer.Announcement, until earlyEnd: EarlyEnd,
        began: @escaping @Sendable () -> Void = {}
    ) async throws(PlayerError) -> (outcome: Player.Outcome, lacksAmount: Bool) {
        var isProven = voices.mayHaveMore
        var script =
            isProven
            ? await provenScript(for: utterance)
            : player.expectedScript(for: utterance) ?? voices.script(for: utterance)
        Timeline.shared.mark(.scriptWritten)
        while true {
            log(script, of: announcement.job)
            do throws(PlayerError) {
                let delivery = announcement.delivery.fitted(toWords: script.hasWords)
                let outcome = try await player.play(script, delivery, until: earlyEnd) { [nowPlaying] in
                    nowPlaying.noteWritten()
                    began()
                }
                return (outcome, script.lacksAmount)
            } catch .recording(let part, let error) {
                // In other words, and at once: nothing of it has been told yet. A recording that fails although it was
                // proven is left out until this announcement is over, so that the loop ends.
                await leaveOut(part, error)
                script = isProven ? voices.script(for: utterance) : await provenScript(for: utterance)
                isProven = true
            }
        }
    }

    /// Says what a command gave to say. It has no other words: when they are lost, that there is a message is said.
    private func say(
        _ script: AnnouncementScript, _ announcement: Announcer.Announcement, until earlyEnd: EarlyEnd
    ) async throws(PlayerError) -> Announcer.Outcome {
        log(script, of: announcement.job)
        let reason: String
        do throws(PlayerError) {
            return try await sound(script, announcement, until: earlyEnd)
        } catch .recording(let part, let error) {
            await leaveOut(part, error)
            reason = error.description
        } catch .sound(let error) {
            reason = error.description
        } catch .nothingToPlay {
            reason = "there is not a word in it"
        }
        do throws(PlayerError) {
            let message = try await speak(.prompt(.message), announcement, until: earlyEnd)
            if message.outcome == .stoppedEarly { return .stoppedEarly }
        } catch .nothingToPlay {
            // The voice lacks these words too. The receipt tells.
        }
        return .saidOtherwise(reason: reason)
    }

    // MARK: Rings

    /// The bell and the words; the bell alone where those are lost. Light and vibration are the ring's own.
    private func ring(
        _ words: AnnouncementScript, _ announcement: Announcer.Announcement, until earlyEnd: EarlyEnd
    ) async -> Announcer.Outcome {
        let bell = AnnouncementScript(text: "", elements: [.sound(RingTone.sound)])
        do throws(PlayerError) {
            do throws(PlayerError) {
                let whole = bell.followed(by: words, after: RingTone.restBeforeWords)
                return try await sound(whole, announcement, until: earlyEnd)
            } catch .recording(let part, let error) {
                await leaveOut(part, error)
                logger.error(
                    "the ring has no words", metadata: announcement.job.logMetadata(["reason": "\(error)"]))
                let outcome = try await sound(bell, announcement, until: earlyEnd)
                if case .played = outcome { return .saidOtherwise(reason: error.description) }
                return outcome
            }
        } catch {
            if earlyEnd.isRaised { return .stoppedEarly }
            await handle(error)
            return .failed
        }
    }

    private func sound(
        _ script: AnnouncementScript, _ announcement: Announcer.Announcement, until earlyEnd: EarlyEnd
    ) async throws(PlayerError) -> Announcer.Outcome {
        let outcome = try await player.play(
            script, announcement.delivery, until: earlyEnd, began: nowPlaying.noteWritten)
        noteDevice()
        noteSound()
        guard case .heard(let audibility) = outcome else { return nowPlaying.isWritten ? .stoppedEarly : .withdrawn }
        return .played(audibility)
    }

    // MARK: The text of a notice

    /// Begun at once, so that it is there when the notice has been heard.
    private func makeText(of entry: InboxEntry) {
        textInTheMaking?.words.giveUp()
        textInTheMaking = entry.notice.text.flatMap { text in
            customMessages.map { (entry.sequence, WordsInTheMaking(text, $0.words)) }
        }
    }

    /// A delivery of its own, so that no text is ever mixed into an amount.
    private func sayText(
        of entry: InboxEntry, _ announcement: Announcer.Announcement
    ) async throws(PlayerError) -> Announcer.Outcome {
        guard let text = textInTheMaking.take(), text.sequence == entry.sequence else { return .failed }
        // No payment waits for what a payer has written.
        guard ((try? inbox.waiting(limit: 1)) ?? []).isEmpty else {
            text.words.giveUp()
            logger.info("the notice's text is left out: others wait", metadata: announcement.job.logMetadata([:]))
            return .failed
        }
        guard let script = await text.words.script(within: Self.timeoutForText) else {
            text.words.giveUp()
            logger.error(
                "the notice's text cannot be said",
                metadata: announcement.job.logMetadata(["text": "\(text.words.text)"]))
            return .failed
        }
        log(script, of: announcement.job)
        try await player.play(script, announcement.delivery)
        noteDevice()
        return .played(.aloud)
    }

    private func log(_ script: AnnouncementScript, of job: Announcer.Job) {
        // An attempt every five seconds is not worth a line each.
        let isRepeated = !job.entries.isEmpty && job.entries.map(\.sequence) == unheard
        if let shortcoming = script.shortcoming, !isRepeated {
            logger.error("not said in full", metadata: job.logMetadata(["reason": "\(shortcoming)"]))
        }
        // Who reads the log does not stand in the shop.
        let text: Logger.Metadata = if case .signInCode = job { [:] } else { ["text": "\(script.text)"] }
        logger.log(level: isRepeated ? .debug : .info, "announcing", metadata: job.logMetadata(text))
    }
}
