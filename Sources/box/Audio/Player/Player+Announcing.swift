import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice

// MARK: Announcements, on the sound thread

extension Player {
    func perform(
        _ script: AnnouncementScript, _ delivery: Delivery, _ turn: Turn, on device: SoundDevice
    ) throws(PlayerError) -> Outcome {
        if turn.isStopped { throw .cancelled }
        if turn.end.isRaised { return .stoppedEarly }
        Timeline.shared.mark(.playBegun)
        let voices = currentVoices
        let hasChime = delivery.hasChime && voices.hasChime
        guard hasChime || script.hasWords else { throw .nothingToPlay }
        let format = try open(device)
        let chime = hasChime ? try chime(of: voices, at: format.sampleRate) : []
        var announcement = Announcing(
            script, delivery, timing, turn, voices, chime: chime, decoded: decoded,
            on: takeMixer(for: format), at: wanted(delivery).volume)
        // Not a frame of it was written.
        if turn.end.isRaised { return .stoppedEarly }
        try perform(&announcement, delivery, on: device)
        keep(announcement.mixer, DeviceStatus(device, format))
        return turn.end.isRaised ? .stoppedEarly : .heard(announcement.audibility)
    }

    /// Returns when the last frame has left the speaker.
    private func perform(
        _ announcement: inout Announcing, _ delivery: Delivery, on device: SoundDevice
    ) throws(PlayerError) {
        let turn = announcement.turn
        var isFirst = true
        while !announcement.isFinished {
            if turn.isStopped {
                // The device still holds frames that must not be heard, and an interrupt from before its opening has
                // not reached it.
                device.close()
                throw .cancelled
            }
            let wanted = wanted(delivery)
            let period = try announcement.nextPeriod(wanted.volume, isMuted: wanted.isMuted)
            if isFirst { Timeline.shared.mark(.periodMixed) }
            try played(turn) { () throws(AudioSinkError) in try device.write(period) }
            turn.noteWritten()
            if isFirst { Timeline.shared.mark(.writeEnded) }
            isFirst = false
            // The device is ahead by its buffer now; decoding one recording takes a fraction of that.
            try announcement.decodeNext()
        }
        try played(turn) { () throws(AudioSinkError) in try device.drain() }
    }

    private func wanted(_ delivery: Delivery) -> (volume: Volume, isMuted: Bool) {
        let isMuted = isMuted
        let volume = min(max(volume, delivery.loudness.lowerBound), delivery.loudness.upperBound)
        return (isMuted ? Volume(0) : volume, isMuted)
    }

    /// An interrupt of the device was meant for this announcement. It ends the announcement and is no fault of the
    /// device.
    private func played(_ turn: Turn, _ body: () throws(AudioSinkError) -> Void) throws(PlayerError) {
        do { try body() } catch .interrupted where turn.isStopped {
            throw .cancelled
        } catch {
            throw .sink(error)
        }
    }
}
