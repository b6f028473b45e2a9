import Glibc
import Logging
import SoundboxAudio
import SoundboxCore
import SoundboxGPIO

/// A box that nobody has set up yet: it says so aloud and with its light, and waits. Ending instead would have systemd
/// start it over and over, in silence.
public struct UnprovisionedBox: Sendable {
    /// How often it says so: often enough for somebody who stands there with a new box, rarely enough for a shelf.
    static let reminder = Duration.seconds(600)

    /// Two flashes and a pause, which is none of the patterns of a box at work.
    static let light = OutputPattern(
        ending: .repeat([
            .init(.milliseconds(150), PanelOutputs(isLit: true, isVibrating: false)), .init(.milliseconds(150), .off),
            .init(.milliseconds(150), PanelOutputs(isLit: true, isVibrating: false)), .init(.milliseconds(1550), .off),
        ]))

    private let configurationFile: String
    private let sounds: String
    private let boards: String
    private let logger: Logger

    /// - Parameters:
    ///   - configurationFile: what is waited for.
    ///   - sounds: the folder that holds the voices; its first one speaks, the Mandarin one where there is a choice.
    ///   - boards: the folder that holds the board files.
    public init(
        configurationFile: String, sounds: String = InstalledFolders.nearestSounds,
        boards: String = InstalledFolders.board, logger: Logger
    ) {
        self.configurationFile = configurationFile
        self.sounds = sounds
        self.boards = boards
        self.logger = logger
    }

    /// Returns when there is a configuration; at once when there is one already.
    public func waitForSetup() async throws {
        guard !SmallFile.exists(configurationFile) else { return }
        let systemd = Systemd()
        systemd.ready()
        systemd.status("not set up")
        logger.warning("not set up", metadata: ["missing": "\(configurationFile)", "run": "sudo soundbox setup"])
        let reminders = Task { await remind() }
        let light = Task { await blink() }
        defer {
            reminders.cancel()
            light.cancel()
        }
        while !SmallFile.exists(configurationFile) {
            systemd.watchdog()
            try await Task.sleep(for: .seconds(1))
        }
        reminders.cancel()
        light.cancel()
        // The box needs the card and the lines for itself.
        await reminders.value
        await light.value
    }

    private func remind() async {
        let folder = VoiceFolder(path: sounds)
        let locales = folder.locales
        guard let locale = locales.first(where: { $0 == "zh-CN" }) ?? locales.first else {
            logger.error("no voice is installed", metadata: ["directory": "\(sounds)"])
            return
        }
        while !Task.isCancelled {
            do {
                let speaker = try Speaker(device: "default", voice: folder.voice(locale))
                try await speaker.speak(.prompt(.notProvisioned))
                // A card that is held open would keep others, such as setup's greeting, out of it.
                await speaker.close()
            } catch {
                logger.warning("cannot say that the box is not set up", metadata: ["reason": "\(error)"])
            }
            try? await Task.sleep(for: Self.reminder)
        }
    }

    private func blink() async {
        guard let board = Self.likelyBoard(model: (try? SmallFile.read("/sys/firmware/devicetree/base/model")) ?? ""),
            let layout = try? BoardFile.read(name: board, in: boards), let panel = try? GPIOPanel(layout)
        else { return }
        defer { panel.close() }
        let clock = ContinuousClock()
        let start = clock.now
        while !Task.isCancelled {
            let moment = Self.light.moment(at: clock.now - start)
            guard (try? panel.set(moment.outputs)) != nil, let remaining = moment.remaining else { return }
            try? await clock.sleep(for: remaining)
        }
    }

    /// Which board file fits, before anybody has chosen one: its wiring is that of the board's manual.
    static func likelyBoard(model: String) -> String? { model.hasPrefix("Raspberry Pi") ? "raspberry-pi" : nil }
}
