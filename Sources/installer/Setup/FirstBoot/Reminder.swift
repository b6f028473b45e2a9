import Logging
import SoundboxAudio
import SoundboxConfiguration
import SoundboxCore
import SoundboxHardware
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice

/// Speaks a prompt about why the box does not work.
package struct Reminder: Sendable {
    /// The interval: short enough for an installer who waits, long enough for a box on a shelf.
    package static let interval = Duration.seconds(600)
    /// The pause after an attempt that nobody could hear: a sound card may come long after the box.
    package static let pause = Duration.seconds(5)

    package let fallback: FallbackSettings
    package let amplifier: Amplifier?
    package let logger: Logger
    /// The state of the box, for the log: "the box is not set up".
    package let fact: String
    package let watch = DeviceWatch()

    /// Speaks a prompt from `due` on every ``interval`` until the task is cancelled. One that no card has played is
    /// tried again after ``pause``.
    ///
    /// - Parameters:
    ///   - prompt: asked for before each attempt.
    ///   - pause: see ``pause``.
    ///   - wasSaid: called with the time when the prompt is due again.
    package func repeating(
        from due: ContinuousClock.Instant = .now, pause: Duration = pause, _ prompt: @Sendable () -> Prompt,
        wasSaid: @Sendable (ContinuousClock.Instant) async -> Void = { _ in }
    ) async {
        var (due, hasFailed) = (due, false)
        while !Task.isCancelled {
            do { try await Task.sleep(until: due, clock: .continuous) } catch { return }
            if await say(prompt(), again: hasFailed) {
                due = .now + Self.interval
                hasFailed = false
                await wasSaid(due)
            } else {
                due = .now + pause
                hasFailed = true
            }
        }
    }

    /// Speaks the prompt once, with the first usable voice on the first card that plays it.
    ///
    /// - Parameter again: whether the attempt before has failed: the log has its reason already.
    /// - Returns: whether it was spoken.
    @discardableResult
    package func say(_ prompt: Prompt, again: Bool = false) async -> Bool {
        var places = ((try? await onOwnThread(named: "voices") { [fallback] in fallback.voicePlaces }) ?? [])[
            ...]
        var nextVoice = await voice(saying: prompt, among: &places)
        if nextVoice == nil, !again {
            logger.error("no voice can say it", metadata: ["directory": "\(fallback.sounds)"])
        }
        var devices: ArraySlice<String> = await devices()[...]
        while let device = devices.first, let voice = nextVoice, !Task.isCancelled {
            do {
                let isHeard = try await say(prompt, voice, on: device) == .heard(.aloud)
                logger.info(
                    "said that \(fact)\(isHeard ? "" : ", too softly to be heard")",
                    metadata: ["voice": "\(voice.language.locale)", "audio": "\(device)"])
                return true
            } catch {
                if !again { logger.warning("cannot say that \(fact)", metadata: ["reason": "\(error)"]) }
                // Try another voice for other recordings, or another card that may have a speaker.
                if case PlayerError.recording = error {
                    nextVoice = await self.voice(saying: prompt, among: &places)
                } else {
                    devices.removeFirst()
                }
            }
        }
        return false
    }

    /// Opens one voice at a time, because the first one is nearly always usable.
    private func voice(saying prompt: Prompt, among places: inout ArraySlice<VoicePlace>) async -> Voice? {
        while let place = places.popFirst() {
            let voice = try? await onOwnThread(named: "voices") { place.voice(saying: prompt) }
            if let voice = voice ?? nil { return voice }
        }
        return nil
    }

    private func devices() async -> [String] {
        if let device = fallback.audioDevice { return [device] }
        let likely = try? await onOwnThread(named: "cards", fallback.likelyDevices)
        return likely ?? [Configuration.Default.audioDevice]
    }

    private func say(_ prompt: Prompt, _ voice: Voice, on device: String) async throws -> Player.Outcome {
        let thread = SoundThread(watch: watch) { [amplifier, fallback, logger] callTimeout in
            AudioOutputs.sink(
                for: device, fileMode: .append, callTimeout: callTimeout, amplifier: amplifier,
                level: fallback.cardLevel
            ) { change in
                logger.notice("sound card", metadata: ["control": "\(change)"])
            }
        }
        let speaker = Speaker(
            on: thread, voice: voice, volume: fallback.volume, loudspeaker: fallback.loudspeaker)
        do {
            let outcome = try await speaker.speak(.prompt(prompt))
            // An open card would block other programs, such as setup.
            await speaker.close()
            return outcome
        } catch {
            await speaker.close()
            throw error
        }
    }
}
