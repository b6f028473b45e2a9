import Logging
import SoundboxAudio
import SoundboxCore
import SoundboxSystem

extension AnnouncerService: Feature {
    nonisolated func fill(_ status: inout BoxStatus) {
        let snapshot = state.snapshot
        status.isAnnouncing = snapshot.announcement != nil
        status.ring = snapshot.ring.map { RingStatus(id: $0.id, secondsLeft: $0.secondsLeft(at: .monotonicNow)) }
        (status.sound, status.xruns) = (snapshot.device, snapshot.xruns)
    }

    nonisolated var metricFamilies: [MetricFamily] {
        [
            MetricFamily(
                "soundbox_xruns_total", .counter, "How often the sound card ran dry in the middle of an announcement.",
                Double(state.snapshot.xruns))
        ]
    }
}

/// What the state and the log are told of the sound card.
extension AnnouncerService {
    /// Looks after the card of an idle box: a fault must be known, and its end, without a payment.
    ///
    /// A card that was lost is opened as soon as it can be. One that is closed so that an amplifier can sleep stays
    /// closed.
    func look() async {
        do throws(PlayerError) {
            guard state.snapshot.audioFault != nil else { return try await player.look() }
            try await player.prepare()
            noteOpenDevice()
        } catch {
            // The card is there. What can be played on it shows when it is played.
            if case .recording = error { noteOpenDevice() }
            await handle(error)
        }
    }

    /// An announcement was heard.
    func noteSound() {
        noteSoundIsBack()
        state.update { $0.speechFault = nil }
    }

    private func noteOpenDevice() {
        noteDevice()
        noteSoundIsBack()
    }

    private func noteSoundIsBack() {
        if state.snapshot.audioFault != nil { logger.notice("sound is back") }
        state.update { $0.audioFault = nil }
    }

    func noteDevice() {
        let device = player.device
        state.update {
            $0.device = device
            $0.xruns = device?.xrunCount ?? 0
        }
    }

    func report(_ error: AudioSinkError) {
        let isNew = state.snapshot.audioFault != error.description
        state.update {
            $0.audioFault = error.description
            $0.device = nil
        }
        if isNew { logger.error("no sound, trying again until there is", metadata: ["reason": "\(error)"]) }
    }
}
