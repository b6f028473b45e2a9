import Logging
import SoundboxBox
import SoundboxConfiguration
import SoundboxCore
import SoundboxVoice

/// The voices of a box, ready to speak, and what is wrong with them.
struct InstalledVoices {
    let voices: Voices
    /// Recordings that cannot be used.
    let problems: [RecordingError]
    /// Speakers in whose place others speak.
    let standIns: [StandIn]

    /// Blocks on the disk.
    init(_ choice: Configuration.VoiceChoice) throws(VoiceError) {
        let folder = VoiceFolder(path: choice.directory)
        var voices: [Voice] = []
        var problems: [RecordingError] = []
        var standIns: [StandIn] = []
        for locale in choice.locales {
            var ((voice, unusable), standIn) = try folder.speaking(locale, speaker: choice.speakers[locale]) {
                (voice) throws(VoiceError) in try voice.readyToSpeak()
            }
            voice.tempo = choice.tempo
            if let style = choice.decimal { voice.readDecimals(style) }
            voices.append(voice)
            problems += unusable
            if let standIn { standIns.append(standIn) }
        }
        self.voices = Voices(first: voices[0], others: Array(voices.dropFirst()))
        (self.problems, self.standIns) = (problems, standIns)
    }

    /// Throws the problem with a choice of voices, also that another speaker would have to speak. Blocks on the disk.
    static func check(_ choice: Configuration.VoiceChoice) throws {
        // First check that the speakers are installed: reading a voice is slow, and many such settings may arrive.
        for (locale, speaker) in choice.speakers where choice.locales.contains(locale) {
            let first = VoiceFolder(path: choice.directory).candidates(locale, speaker).first
            guard let first, first.speaker?.id != speaker else { continue }
            throw SettingsProblem("\(StandIn.notInstalled(locale: locale, speaker: speaker, speaks: first.name))")
        }
        if let standIn = try InstalledVoices(choice).standIns.first(where: \.isFault) {
            throw SettingsProblem("\(standIn)")
        }
    }

    func report(to state: BoxState, _ logger: Logger) {
        for standIn in standIns {
            logger.log(level: standIn.isFault ? .warning : .info, "voice", metadata: ["note": "\(standIn)"])
        }
        state.update { $0.voiceWarnings = standIns.filter(\.isFault).map(\.description) }
        for problem in problems { logger.error("recording left out", metadata: ["reason": "\(problem)"]) }
    }
}
