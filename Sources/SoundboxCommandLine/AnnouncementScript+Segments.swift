import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice

extension AnnouncementScript {
    /// What is played, in order: `{"text":…,"file":…}` for a recording, `{"pause_ms":…}` for a rest.
    /// - Parameter voice: the one whose recordings the script refers to.
    public func segments(of voice: Voice) -> JSONValue {
        .array(
            elements.map { element in
                switch element {
                case .phrase(let index):
                    .object([
                        ("text", .string(voice.recordings.entries[index].text)),
                        ("file", .string(voice.recordings.entries[index].file + ".flac")),
                    ])
                case .pause(let length): .object([("pause_ms", .integer(length.inMilliseconds))])
                case .sound(let sound): .object([("sound_ms", .integer(sound.duration.inMilliseconds))])
                }
            })
    }
}
