import SoundboxALSA
import SoundboxAudio
import SoundboxConfiguration
import SoundboxCore
import SoundboxHardware
import SoundboxSystem

/// Whether anything can be heard: the cards, what was agreed on with the device, and the switches in between.
struct SoundChecks {
    let audio: Configuration.Audio
    /// What the running box says, since it holds the device; `nil` when none runs.
    let status: BoxStatus?

    /// Does not block Swift's pool: alsa-lib is asked on a thread of its own.
    func findings() async -> [Finding] {
        guard AudioDevice(audio.device).isCard else { return [Self.silentDevice(audio.device)] }
        guard
            let (cards, mixers) = try? await onOwnThread(
                named: "doctor",
                { [audio] in
                    let cards = ALSACards.cards().inOrderOfWiring
                    var names = cards.map(\.name)
                    if let card = audio.mixer?.card, !names.contains(card) { names.append(card) }
                    return (cards, names.map { name in (card: name, controls: ALSACards.mixerControls(of: name)) })
                })
        else { return [] }
        var findings = [await device(cards), Self.underruns(status)].compactMap(\.self)
        if let mixer = audio.mixer {
            findings += Self.configured(mixer, in: mixers.first { $0.card == mixer.card }?.controls)
        }
        return findings + Self.controls(mixers.compactMap { mixer in mixer.controls.map { (mixer.card, $0) } })
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
        if let status { return Self.runningDevice(audio.device, status, cards) }
        let thread = SoundThread { [device = audio.device] lease in
            AudioOutputs.sink(for: device, fileMode: .append, lease: lease)
        }
        do {
            let agreed = try await thread.open()
            await thread.close()
            return Finding("sound card", .green, "\"\(audio.device)\": \(agreed.summary); \(Self.names(cards))")
        } catch {
            return Finding("sound card", .red, "\(error)", advice: Self.advice(cards))
        }
    }

    /// The box that runs holds the card, so it is asked instead.
    static func runningDevice(_ device: String, _ status: BoxStatus, _ cards: [ALSACard]) -> Finding {
        guard let agreed = status.sound else {
            // The box may be kept from a card that the doctor, who is root, may open.
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

    /// The element that the volume is to go to.
    static func configured(_ mixer: MixerElement, in controls: [MixerControl]?) -> [Finding] {
        guard let controls else {
            return [
                Finding(
                    "mixer", .amber, "audio.mixer: \"\(mixer.card)\" cannot be opened; the volume is made in software",
                    advice: "set audio.mixer.card to the card of audio.device")
            ]
        }
        guard !controls.contains(where: { $0.name == mixer.name && $0.index == mixer.index && $0.percent != nil })
        else {
            return []
        }
        let names = controls.filter { $0.percent != nil }.map { "\"\($0.name)\"" }
        return [
            Finding(
                "mixer", .amber, "\(mixer) does not exist or has no volume; the volume is made in software",
                advice: names.isEmpty
                    ? "this card has no volume of its own: remove audio.mixer"
                    : "set audio.mixer.element to one of \(names.joined(separator: ", "))")
        ]
    }

    /// What is off or turned down to nothing on the way to a loudspeaker.
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
