import SoundboxALSA
import SoundboxAudio
import SoundboxConfiguration
import SoundboxCore
import SoundboxHardware
import SoundboxSystem

/// Checks the sound cards, the device and the mixer controls.
struct SoundChecks {
    let audio: Configuration.Audio
    /// The status of the running box, which holds the device; `nil` if none runs.
    let status: BoxStatus?

    /// Calls alsa-lib on its own thread, so it does not block the shared pool.
    func findings() async -> [Finding] {
        guard AudioDevice(audio.device).isCard else { return [Self.silentDevice(audio.device)] }
        guard
            let (cards, mixers) = try? await onOwnThread(
                named: "doctor",
                {
                    let cards = ALSACards.cards().inOrderOfWiring
                    return (
                        cards,
                        cards.compactMap { card in
                            ALSACards.mixerControls(of: card.name).map { (card: card.name, controls: $0) }
                        }
                    )
                })
        else { return [] }
        let findings = [await device(cards), Self.underruns(status)].compactMap(\.self)
        return findings + Self.controls(mixers)
    }

    private static func silentDevice(_ device: String) -> Finding {
        guard device.hasPrefix("file:") else {
            return Finding(
                "sound card", .amber, "audio.device is null: the box is silent", advice: "run: soundbox setup")
        }
        return Finding("sound card", .amber, "the sound goes to \(device.dropFirst(5)), nothing is heard")
    }

    // MARK: The device

    private func device(_ cards: [ALSACard]) async -> Finding {
        if let status { return Self.runningDevice(status.audioDevice ?? audio.device, status, cards) }
        let thread = SoundThread { [device = audio.device] callTimeout in
            AudioOutputs.sink(for: device, fileMode: .append, callTimeout: callTimeout, level: .keep)
        }
        do {
            let agreed = try await thread.open()
            await thread.close()
            return Finding("sound card", .green, "\"\(audio.device)\": \(agreed.summary); \(Self.names(cards))")
        } catch {
            return Finding("sound card", .red, "\(error)", advice: Self.advice(cards))
        }
    }

    /// The finding from the status of the running box, which holds the card.
    static func runningDevice(_ device: String, _ status: BoxStatus, _ cards: [ALSACard]) -> Finding {
        guard let agreed = status.sound else {
            // The box may lack the rights to a card that the check, as root, could open.
            let reason = status.faults?.first { $0.contains("audio device \"") } ?? "\"\(device)\" is not open"
            return Finding(
                "sound card", .red, "the running box says: \(reason); \(names(cards))", advice: advice(cards))
        }
        return Finding("sound card", .green, "\"\(device)\" plays: \(agreed.summary); \(names(cards))")
    }

    private static func names(_ cards: [ALSACard]) -> String {
        guard !cards.isEmpty else { return "there is no sound card" }
        return "cards: " + cards.map { "\($0.name) (\($0.description))" }.joined(separator: ", ")
    }

    private static func advice(_ cards: [ALSACard]) -> String {
        cards.isEmpty
            ? "is the card plugged in, and its overlay in /boot/firmware/config.txt?"
            : "set audio.device to one of the cards (\(cards.map(\.playbackName).joined(separator: ", "))) with: soundbox "
                + "setup"
    }

    // MARK: Underruns

    static func underruns(_ status: BoxStatus?) -> Finding? {
        guard let count = status?.xruns else { return nil }
        guard count > 0 else { return Finding("underruns", .green, "none since the box started") }
        return Finding(
            "underruns", .amber, "the sound broke off \(count) times since the box started: the board was too late",
            advice:
                "look for what keeps the board busy (top), and at the power supply; put a USB card on a port of its own"
        )
    }

    // MARK: The mixers

    /// The controls on the way to a loudspeaker that are off or at 0.
    static func controls(_ mixers: [(card: String, controls: [MixerControl])]) -> [Finding] {
        var findings: [Finding] = []
        var count = 0
        for (card, controls) in mixers {
            for control in controls where control.isOnTheWay {
                count += 1
                guard control.isSilent else { continue }
                let name = control.index == 0 ? "\"\(control.name)\"" : "\"\(control.name)\",\(control.index)"
                let isOff = control.isOn == false
                findings.append(
                    Finding(
                        "mixer", .amber, "\(name) of \(card) is \(isOff ? "switched off" : "turned down to 0")",
                        advice:
                            "if the loudspeaker is behind it: amixer -D \(card) set '\(control.name)',\(control.index) "
                            + "\(isOff ? "unmute" : "80%"), and to keep it: alsactl store"))
            }
        }
        guard findings.isEmpty, count > 0 else { return findings }
        return [Finding("mixer", .green, "none of \(count) switches and volumes on the way is off")]
    }
}
