import SoundboxCore
import SoundboxVoice

// MARK: Rings, on the sound thread

extension Player {
    /// Asks for time on the thread. What was asked for before, for the same ring, is not needed then.
    func post(_ ring: Ring) {
        guard !ring.isStopped else { return }
        let turn = ring.makeTurn()
        thread.post { device in
            self.perform(turn, of: ring, on: device)
        } fail: { error in
            self.floor.leave(turn)
            if turn.answer() { self.tryLater(ring, .sink(error)) }
        }
    }

    private func perform(_ turn: Turn, of ring: Ring, on device: SoundDevice) {
        guard ring.isNewest(turn) else { return }
        if floor.take(turn) {
            do throws(PlayerError) {
                try sound(ring, on: device)
                floor.leave(turn)
            } catch {
                floor.leave(turn)
                if turn.answer() { tryLater(ring, error) }
                return
            }
        }
        guard turn.answer() else { return }
        // Whoever waits comes first. A ring that is stopped from now on finds its end in its next turn.
        if ring.isStopped { silence(ring, on: device) } else { post(ring) }
    }

    /// Sounds until the ring is stopped or somebody waits for the thread, and for a period at least.
    private func sound(_ ring: Ring, on device: SoundDevice) throws(PlayerError) {
        let format = try open(device)
        var desk = takeDesk(for: format)
        let voices = currentVoices
        repeat {
            if ring.isStopped { break }
            let gains = Mixer.Gains(volume(of: ring))
            if desk.ring == nil { desk.begin(gains) }
            if let problem = desk.follow(ring, voices) { ring.report(problem) }
            do { try device.write(desk.render(gains)) } catch { throw .sink(error) }
            ring.noteWritten()
            desk.pace.wait(bufferFrames: device.bufferFrames, until: ring.interruption)
        } while !thread.hasWaitingJobs
        keep(desk, DeviceStatus(device, format))
    }

    /// What the device still holds of a ring that was stopped is not heard. An announcement that has begun meanwhile has
    /// taken the ring away by itself.
    private func silence(_ ring: Ring, on device: SoundDevice) {
        guard clearDesk(of: ring) else { return }
        device.close()
    }

    private func tryLater(_ ring: Ring, _ error: PlayerError) {
        guard !ring.isStopped else { return }
        let pause = ring.noteFailure()
        ring.report(error)
        Task {
            try? await Task.sleep(for: pause)
            post(ring)
        }
    }

    func volume(of ring: Ring) -> Volume {
        isMuted ? Volume(0) : min(max(volume, ring.loudness.lowerBound), ring.loudness.upperBound)
    }
}
