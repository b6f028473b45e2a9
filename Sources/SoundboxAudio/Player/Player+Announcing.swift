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
        _ = floor.take(turn)
        defer {
            floor.leave(turn)
            // A ring that sounds goes on at once, and not only when its next attempt was due.
            if let ring = floor.ring { post(ring) }
        }
        let format = try open(device)
        var desk = takeDesk(for: format)
        do throws(PlayerError) {
            var announcement = Announcing(script, delivery, timing, turn, voices, format)
            if hasChime { announcement.chime = try chime(of: voices, at: format.sampleRate) }
            let manner = try perform(&announcement, &desk, on: device)
            // Seconds of decoded speech are not kept until the next payment.
            desk.endAnnouncement()
            keep(desk, DeviceStatus(device, format))
            return turn.end.isRaised ? .stoppedEarly : .heard(manner)
        } catch {
            // A ring goes on where it was, unless it is gone with the device.
            if desk.ring != nil, !error.isOfDevice {
                desk.endAnnouncement()
                keep(desk, DeviceStatus(device, format))
            }
            throw error
        }
    }

    private func perform(
        _ announcement: inout Announcing, _ desk: inout Desk, on device: SoundDevice
    ) throws(PlayerError) -> Manner {
        let turn = announcement.turn
        desk.begin(gains(wanted(announcement.delivery).volume))
        announcement.begin(on: &desk)
        // Ends when the last frame has left the speaker. Where a ring goes on, a drain would be a hole in it: what it
        // waits for is waited for by writing on.
        var framesToLeave = device.bufferFrames + desk.mixer.latency
        var isFirst = true
        while true {
            if announcement.isFinished(on: desk), desk.ring != nil || desk.mixer.isFinished {
                let goesOn = desk.ring.map { !$0.isStopped } ?? false
                if goesOn, framesToLeave <= 0 { return announcement.manner }
                if desk.ring == nil { break }
                framesToLeave -= desk.format.framesPerPeriod
            }
            try announcement.prepare(on: &desk)
            if turn.isStopped {
                let volume = wanted(announcement.delivery).volume
                try? device.write(announcement.lastPeriod(on: &desk, gains(volume)))
                throw .cancelled
            }
            let problem = desk.follow(floor.ring, announcement.voices, mayDecode: announcement.areWordsComplete)
            if let problem { desk.ring?.report(problem) }
            let wanted = wanted(announcement.delivery)
            let gains = gains(wanted.volume)
            announcement.note(gain: gains.announcement, isMuted: wanted.isMuted)
            let period = desk.render(gains)
            announcement.framesOfWords -= desk.format.framesPerPeriod
            if isFirst { Timeline.shared.mark(.periodMixed) }
            try played(turn) { () throws(AudioSinkError) in try device.write(period) }
            turn.noteWritten()
            if isFirst { Timeline.shared.mark(.writeEnded) }
            isFirst = false
            desk.ring?.noteWritten()
            // The device is ahead by its buffer now, and one recording takes a fraction of that.
            try announcement.decodeNext()
        }
        try played(turn) { () throws(AudioSinkError) in try device.drain() }
        return announcement.manner
    }

    private func gains(_ announcement: Volume) -> Mixer.Gains {
        Mixer.Gains(announcement: announcement.gain, ring: floor.ring.map { volume(of: $0).gain } ?? announcement.gain)
    }

    private func wanted(_ delivery: Delivery) -> (volume: Volume, isMuted: Bool) {
        let isMuted = isMuted
        let volume = min(max(volume, delivery.loudness.lowerBound), delivery.loudness.upperBound)
        return (isMuted ? Volume(0) : volume, isMuted)
    }

    /// An interrupt that was meant for this announcement is its end, and no fault of the device.
    private func played(_ turn: Turn, _ body: () throws(AudioSinkError) -> Void) throws(PlayerError) {
        do { try body() } catch .interrupted where turn.isStopped {
            throw .cancelled
        } catch {
            throw .sink(error)
        }
    }
}

extension PlayerError {
    fileprivate var isOfDevice: Bool { if case .sink = self { true } else { false } }
}
