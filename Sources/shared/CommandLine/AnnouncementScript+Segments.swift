import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice

extension AnnouncementScript {
    /// The parts of a script in order: `{"text":…,"file":…}` for a recording, `{"pause_ms":…}` for a pause,
    /// `{"sound_ms":…}` for a sound.
    /// - Parameter voice: the voice of the script's recordings.
    public func segments(of voice: Voice) -> JSONValue {
        .array(
            elements.map { element in
                switch element {
                case .phrase(let index):
                    .object([
                        ("text", .string(voice.recordings.entries[index].text)),
                        ("file", .string(voice.fileName(ofRecording: index))),
                    ])
                case .pause(let length): .object([("pause_ms", .integer(length.inMilliseconds))])
                case .sound(let sound): .object([("sound_ms", .integer(sound.duration.inMilliseconds))])
                }
            })
    }
}
