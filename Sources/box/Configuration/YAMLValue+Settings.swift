import SoundboxCore
import SoundboxSystem
import SoundboxVoice
import SoundboxYAML

// Kinds of text in a configuration, and which of them may be shown.

extension YAMLValue {
    /// `zh-CN`, or `[zh-CN, en-US]`.
    func locales() throws(YAMLError) -> [String] {
        var texts: [String] = []
        for value in try oneOrMoreValues() {
            let text = try value.locale()
            // With one language twice, one payment would sound like two. A speaker's folder begins with the language:
            // zh-CN-yunxi.
            let language = text.split(separator: "-").prefix(2)
            if let twin = texts.first(where: { $0.split(separator: "-").prefix(2) == language }) {
                throw value.error("\(twin) is there already; every language says each payment once")
            }
            texts.append(text)
        }
        return texts
    }

    /// `zh-CN`, a BCP 47 tag.
    private func locale() throws(YAMLError) -> String {
        let text = try string()
        if text.wholeMatch(of: /[a-z]{2,3}(-[A-Za-z0-9]{2,4}){0,2}/) != nil { mayBeShown() }
        return text
    }

    /// The speaker of each language: one id if there is one language, else a mapping of ids by locale.
    func speakers(of locales: [String], in directory: String) throws(YAMLError) -> [String: String] {
        guard isMapping else {
            let speaker = try speaker(of: locales[0], in: directory)
            guard locales.count == 1 else {
                throw error("expected the speaker of each language, such as {zh-CN: yunxi}; voice.locale has several")
            }
            return [locales[0]: speaker]
        }
        let mapping = try mapping()
        var speakers: [String: String] = [:]
        for locale in mapping.entries.map(\.key) {
            guard locales.contains(locale), let value = mapping.optional(locale) else {
                throw error("a key here is no language of voice.locale; expected those only")
            }
            speakers[locale] = try value.speaker(of: locale, in: directory)
        }
        return speakers
    }

    /// Shown if such a speaker is installed: anything else could be a password in the wrong line.
    private func speaker(of locale: String, in directory: String) throws(YAMLError) -> String {
        let text = try string()
        guard VoiceSpeaker.isID(text) else {
            throw error(
                "expected a speaker's id, small letters and digits; `soundbox voice list` shows them\(found(text))")
        }
        if VoiceFolder(path: directory).hasSpeaker(text, of: locale) { mayBeShown() }
        return text
    }

    /// `none`, or a file of a folder, without `.yaml`.
    func fileName(in directory: String) throws(YAMLError) -> String {
        let text = try string()
        if text == "none" || text.isName && SmallFile.exists("\(directory)/\(text).yaml") { mayBeShown() }
        return text
    }

    /// An ALSA device of a usual kind, or a file in an existing folder.
    func audioDevice() throws(YAMLError) -> String {
        let text = try path()
        let kinds = /(auto|default|sysdefault|null|pulse|pipewire|jack|(plug|sys)?(hw|default|dmix|dsnoop|front):?)/
        let arguments = /((CARD=)?[A-Za-z0-9_]{1,16}(,(DEV=)?[0-9]{1,2}){0,2})?/
        let isOfFile = text.hasPrefix("file:") && String(text.dropFirst(5)).leadsSomewhere
        let kind = text.prefixMatch(of: kinds)
        if isOfFile || kind.map({ text[$0.range.upperBound...].wholeMatch(of: arguments) != nil }) == true {
            mayBeShown()
        }
        return text
    }
}
