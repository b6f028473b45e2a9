import SoundboxCore
import SoundboxSpeech
import SoundboxVoice

/// Makes the sound of a custom message: from recordings, a synthesiser or a clip.
struct CustomMessageSoundMaker: Sendable {
    let voices: Voices
    let synthesizer: (any SpeechSynthesizer)?
    let clips: (any ClipSource)?
    private let rules: TextRules

    init(voices: Voices, synthesizer: (any SpeechSynthesizer)?, clips: (any ClipSource)?) {
        self.voices = voices
        self.synthesizer = synthesizer
        self.clips = clips
        rules = voices.textRules
    }

    /// The prompt that there is a message, as a substitute; `nil` if the voice has no words for it.
    var message: AnnouncementScript? {
        let script = voices.script(for: .prompt(.message))
        return script.hasWords ? script : nil
    }

    func sound(of customMessage: CustomMessage) async -> PreparedSound {
        switch customMessage.content {
        case .tone: .script(.silence)
        case .text(let text): await words(ofCommand: text)
        case .segments(let segments): words(of: segments)
        case .clip(let clip, let otherwise): await sound(of: clip, otherwise: otherwise)
        case .kind(let name, let number): words(of: name, number)
        }
    }

    /// A prompt of the box as it is, any other text after the marker.
    private func words(ofCommand text: String) async -> PreparedSound {
        if rules.isFreePrompt(text), let recorded = voices.script(ofText: text), recorded.hasWords {
            return .script(recorded)
        }
        return await words(of: text)
    }

    /// After the marker, words of recordings if they cover the text; otherwise of the synthesiser. So no text can be
    /// taken for what the box says, nor for the end of what was said before it.
    func words(of text: String) async -> PreparedSound {
        guard let marker else { return failed(Self.noMarker) }
        if let recorded = voices.script(ofText: text), recorded.hasWords {
            return .script(marker.followed(by: recorded, after: Self.rest))
        }
        guard let synthesizer else {
            return failed("the voice has no recordings of these words, and say.synthesizer is none")
        }
        do throws(SpeechSynthesisError) {
            let sound = try await synthesizer.speech(of: text, in: voices.locale)
            let words = AnnouncementScript(text: text, elements: [.sound(sound)])
            return .script(marker.followed(by: words, after: Self.rest))
        } catch { return failed(error.description) }
    }

    private static let noMarker = "the voice has recordings neither of prompts.marker nor prompts.message"
    /// Between the marker and the words.
    private static let rest = Duration.milliseconds(300)

    /// Says that somebody's text follows.
    private var marker: AnnouncementScript? {
        let script = voices.script(for: .prompt(.marker))
        return script.hasWords ? script : message
    }

    /// Tells the clip source which clips it must not drop.
    func keep(_ references: Set<ClipReference>) async { await clips?.keep(references) }

    private func words(of segments: [String]) -> PreparedSound {
        // The recordings existed when the message was accepted, but may be gone now.
        do throws(SpeechError) {
            let words = try voices.script(ofSegments: segments)
            if segments.allSatisfy(rules.isFreePrompt) { return .script(words) }
            guard let marker else { return failed(Self.noMarker) }
            return .script(marker.followed(by: words, after: Self.rest))
        } catch { return failed("segments: \(error)") }
    }

    private func sound(of clip: ClipReference, otherwise: String?) async -> PreparedSound {
        guard let clips else { return failed(CustomMessageSpeech.clipsAreOff) }
        do throws(ClipError) {
            let sound = try await clips.clip(clip)
            return .script(AnnouncementScript(text: "clip \(clip.sha256.prefix(8))", elements: [.sound(sound)]))
        } catch {
            guard let otherwise else { return failed(error.description) }
            switch await words(ofCommand: otherwise) {
            case .script(let script): return .failed(reason: error.description, instead: script)
            case .failed(let reason, let instead):
                return .failed(reason: "\(error); \(reason)", instead: instead)
            }
        }
    }

    private func words(of name: KindName, _ number: Int64?) -> PreparedSound {
        let script = voices.script(for: .kind(name, amount: nil, number: number))
        guard let shortcoming = script.shortcoming else { return .script(script) }
        return .failed(reason: shortcoming.description, instead: script.hasWords ? script : message)
    }

    private func failed(_ reason: String) -> PreparedSound { .failed(reason: reason, instead: message) }
}
