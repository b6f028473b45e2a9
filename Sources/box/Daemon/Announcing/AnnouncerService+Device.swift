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

/// State and log of the sound card.
extension AnnouncerService {
    /// Checks the card of an idle box, so that a fault and its end are known before the next payment.
    ///
    /// A lost card is opened as soon as possible. A card that was closed to let an amplifier sleep stays closed.
    func checkCard() async {
        do throws(PlayerError) {
            guard state.snapshot.audioFault != nil else { return try await player.checkDevice() }
            try await player.prepare()
            deviceIsOpen()
        } catch {
            // The card is there. Whether the recording can be played shows when it is played.
            if case .recording = error { deviceIsOpen() }
            await handle(error)
        }
    }

    /// Call when an announcement was heard.
    func endSoundFaults() {
        endAudioFault()
        state.update { $0.speechFault = nil }
    }

    private func deviceIsOpen() {
        updateDevice()
        endAudioFault()
    }

    private func endAudioFault() {
        if state.snapshot.audioFault != nil { logger.notice("sound is back") }
        state.update { $0.audioFault = nil }
    }

    func updateDevice() {
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
