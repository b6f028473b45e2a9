import ArgumentParser
import SoundboxCore
import SoundboxSystem
import SoundboxVoice
import SoundboxYAML

/// The option for the folder of the voices.
public struct SoundsOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder that holds the voices; otherwise ./sounds when there is one, else \(InstalledFolders.sounds).",
            valueName: "folder"))
    var sounds: String?

    public init() {}

    public var folder: VoiceFolder { VoiceFolder(path: sounds ?? InstalledFolders.nearestSounds) }
}

/// The option for the loudspeaker that a file is adapted to, in the format of `audio.speaker`.
public struct SpeakerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What plays it: full, small, or '{kind: small, resonance: 350}', as audio.speaker. (default: full)",
            valueName: "speaker"))
    var speaker: String?

    public init() {}

    public func validate() throws { _ = try choice }

    public var choice: Loudspeaker {
        get throws {
            guard let speaker else { return .full }
            do { return try Loudspeaker(reading: YAMLValue(parsing: speaker, file: "--speaker")) } catch {
                let key = error.key.isEmpty ? "" : "\(error.key): "
                throw ValidationError("--speaker \(speaker): \(key)\(error.problem).")
            }
        }
    }
}
