import SoundboxConfiguration
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice
import SoundboxYAML

extension VoiceFolder {
    /// The code of the currency of a document's first voice, as `soundbox say` takes it; `nil` if the voice is not
    /// installed. Reads its `voice.yaml`, so it blocks on the disk.
    static func currency(saidBy document: YAMLDocument) -> String? {
        let folder = VoiceFolder(path: document["voice", "directory"] ?? InstalledFolders.sounds)
        return folder.currency(of: document[list: "voice", "locale"]?.first ?? Configuration.Default.locale)
    }

    func currency(of locale: String) -> String? {
        (try? speaking(locale, speaker: nil) { $0.language.currency.code })?.prepared
    }
}
