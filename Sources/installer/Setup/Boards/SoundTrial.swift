import SoundboxAudio
import SoundboxConfiguration
import SoundboxCore
import SoundboxGPIO
import SoundboxHardware
import SoundboxSpeech
import SoundboxVoice

/// Tests the configured sound of a box: device, amplifier and voice. For `soundbox board test audio`, while the box
/// does not run.
///
///     let trial = try SoundTrial(configuration) { print($0) }
///     print(try await trial.open())
///     try await trial.playTone()
///     await trial.close()
public struct SoundTrial: Sendable {
    /// `audio.device`, or the device that replaces it.
    public let device: String
    private let panel: any Panel
    private let voice: Voice
    private let signal: TestSignal
    private let speaker: Speaker

    /// Blocks briefly on the disk and on GPIO lines; does not open the device.
    ///
    /// - Parameters:
    ///   - device: replaces the configured one.
    ///   - volume: replaces the configured one.
    ///   - note: receives which part of the board cannot be used, and why, and the new settings of the card's controls.
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

    /// Opens the device and returns its parameters.
    public func open() async throws -> DeviceStatus { try await signal.open() }

    /// Plays 1 kHz at −20 dBFS for three seconds, independent of the volume.
    public func playTone() async throws { try await signal.playTone() }

    /// Says the number of a channel, from 0, on this channel only.
    public func playName(ofChannel channel: Int) async throws { try await signal.playName(of: channel, by: voice) }

    /// Announces a payment of 123.45.
    /// - Returns: the text.
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
