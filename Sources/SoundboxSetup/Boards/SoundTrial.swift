import SoundboxAudio
import SoundboxConfiguration
import SoundboxCore
import SoundboxGPIO
import SoundboxHardware
import SoundboxSpeech
import SoundboxVoice

/// Tries the sound of a box as it is configured: its device, its amplifier, its voice. For `soundbox board test
/// audio`, while the box itself does not run.
public struct SoundTrial: Sendable {
    /// `audio.device`, or what was chosen instead.
    public let device: String
    private let panel: any Panel
    private let voice: Voice
    private let signal: TestSignal
    private let speaker: Speaker

    /// Blocks on the disk and on GPIO lines for a moment; the device is not opened yet.
    ///
    /// - Parameters:
    ///   - device: instead of the configured one.
    ///   - volume: instead of the configured one.
    ///   - note: told which part of the board cannot be used, and why, and what the card's controls were set to.
    public init(
        _ configuration: Configuration, device: String? = nil, volume: Volume? = nil,
        note: @escaping @Sendable (String) -> Void
    ) throws {
        let audio = configuration.audio
        let layout = try BoardFile.read(name: configuration.board, in: configuration.boardDirectory)
        let board = BoardPanel(layout.amplifierOnly) { what, error in note("\(what): \(error)") }
        let chosen = device ?? audio.device
        let thread = SoundThread { [amplifier = board.amplifier] callTimeout in
            AudioOutputs.sink(
                for: chosen, fileMode: .overwrite, callTimeout: callTimeout, amplifier: amplifier,
                level: audio.cardLevel, levelDidChange: note)
        }
        self.device = chosen
        panel = board.panel
        let locale = configuration.voice.locales[0]
        voice = try VoiceFolder(path: configuration.voice.directory)
            .speaking(locale, speaker: configuration.voice.speakers[locale]) { $0 }.prepared
        signal = TestSignal(on: thread)
        speaker = Speaker(
            on: thread, voice: voice, volume: volume ?? audio.volume,
            loudspeaker: audio.speaker ?? layout.loudspeaker ?? .full)
    }

    /// Opens the device and says what was agreed on with it.
    public func open() async throws -> DeviceStatus { try await signal.open() }

    /// 1 kHz at −20 dBFS for three seconds, whatever the volume of the samples.
    public func playTone() async throws { try await signal.playTone() }

    /// The number of a channel, from 0, on that channel alone.
    public func playName(ofChannel channel: Int) async throws { try await signal.playName(of: channel, by: voice) }

    /// - Returns: what is said.
    public func playPayment() async throws -> String {
        let payment = Utterance.payment(
            try Money("123.45", voice.language.currency), channel: voice.language.channels.keys.sorted().first)
        try await speaker.speak(payment)
        return voice.writer.script(for: payment).text
    }

    /// Closes the device and switches the amplifier off.
    public func close() async {
        await speaker.close()
        panel.close()
    }
}
