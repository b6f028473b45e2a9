import Logging
import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice

/// How one announcement is played.
extension AnnouncerService {
    /// How long the next announcement waits for a notice's text that is not ready when the notice has been heard.
    private static let timeoutForText = Duration.seconds(1)

    func play(_ announcement: Announcer.Announcement) async -> Announcer.Outcome {
        let begin = now
        let outcome = await playOnce(announcement)
        // A card that hangs and fails is no sentence.
        if outcome != .failed, outcome != .withdrawn { ages.sounded(for: now - begin) }
        return outcome
    }

    private func playOnce(_ announcement: Announcer.Announcement) async -> Announcer.Outcome {
        defer {
            nowPlaying.end()
            if let steps = Timeline.shared.takeSteps() {
                logger.trace("timeline", metadata: ["microseconds": "\(steps)"])
            }
        }
        let job = announcement.job
        let earlyEnd = job.isAnswer ? EarlyEnd() : nowPlaying.earlyEnd
        // Cancelled before or during `begin`, when the disk did not report it.
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
            // A prompt has no chime and is not retried.
            if case .prompt = job, error == .nothingToPlay { return .failed }
            // The voice lacks the words of this kind, and a retry would not find them. The receipt says that the amount
            // was not said.
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

    /// The pattern of lights and motor, if the kind defines one.
    private func pattern(of job: Announcer.Job) -> OutputPattern? {
        switch job {
        case .notice(let entry): return pattern(of: entry)
        // The text continues the notice: no second flash or vibration.
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
        // Also after an error: the first frame may have been written.
        defer { if let firstFrame { metrics?.tried(firstFrame) } }
        let (outcome, lacksAmount) = try await speak(
            utterance, announcement, until: earlyEnd, began: { [firstFrame] in firstFrame?.isNow() })
        unheard = []
        updateDevice()
        endSoundFaults()
        guard case .heard(let audibility) = outcome else { return nowPlaying.isWritten ? .stoppedEarly : .withdrawn }
        switch job {
        case .prompt(let prompt) where audibility == .aloud: delegate.heard(prompt)
        case .prompt, .signInCode:
            if audibility != .aloud {
                logger.notice("said, and not heard", metadata: job.logMetadata(["told": "\(audibility.rawValue)"]))
            }
        default: break
        }
        return .played(audibility == .aloud && lacksAmount ? .withoutAmount : audibility)
    }

    /// Plays it, with another wording after each recording that turns out to be unreadable.
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
                // Retry at once with other words: nothing was heard yet. A recording that fails although it was proven
                // is left out until this announcement ends, so that the loop ends.
                await leaveOut(part, error)
                script = isProven ? voices.script(for: utterance) : await provenScript(for: utterance)
                isProven = true
            }
        }
    }

    /// Plays the words of a `say` command. If they cannot be played, it plays the prompt that there is a message.
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
            // The voice lacks this prompt too. The receipt reports the failure.
        }
        return .saidOtherwise(reason: reason)
    }

    // MARK: Rings

    /// The bell and the words; the bell alone if the words cannot be played. The ring has its own lights and vibration.
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
        updateDevice()
        endSoundFaults()
        guard case .heard(let audibility) = outcome else { return nowPlaying.isWritten ? .stoppedEarly : .withdrawn }
        return .played(audibility)
    }

    // MARK: The text of a notice

    /// Starts to make the text while the notice plays, so that it is ready after it.
    private func makeText(of entry: InboxEntry) {
        textInTheMaking?.words.giveUp()
        textInTheMaking = entry.notice.text.flatMap { text in
            customMessages.map { (entry.sequence, WordsInTheMaking(text, $0.words(ofText:))) }
        }
    }

    /// Played as a separate delivery, so that a text never mixes with an amount.
    private func sayText(
        of entry: InboxEntry, _ announcement: Announcer.Announcement
    ) async throws(PlayerError) -> Announcer.Outcome {
        guard let text = textInTheMaking.take(), text.sequence == entry.sequence else { return .failed }
        // A payer's text must not delay a payment.
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
        updateDevice()
        return .played(.aloud)
    }

    private func log(_ script: AnnouncementScript, of job: Announcer.Job) {
        // A retry comes every 5 s: log only the first.
        let isRepeated = !job.entries.isEmpty && job.entries.map(\.sequence) == unheard
        if let shortcoming = script.shortcoming, !isRepeated {
            logger.error("not said in full", metadata: job.logMetadata(["reason": "\(shortcoming)"]))
        }
        // A code gives access to the page; readers of the log must not learn it.
        let text: Logger.Metadata = if case .signInCode = job { [:] } else { ["text": "\(script.text)"] }
        logger.log(level: isRepeated ? .debug : .info, "announcing", metadata: job.logMetadata(text))
    }
}
