import SoundboxCore
import SoundboxVoice

/// Why an announcement was not heard to its end.
public enum PlayerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The device failed. Play the announcement again from its start when the device is back.
    case sink(AudioSinkError)
    /// A recording that could be decoded at the start cannot be decoded now: the disk fails, or somebody changed the
    /// file. Leave it out and word the announcement without it.
    case recording(Voice.Part, RecordingError)
    /// Sound that is no recording of the voice cannot be converted to the device's rate.
    case sound(RecordingError)
    /// There is neither a word nor a chime to play: silence must not count as heard.
    case nothingToPlay
    /// Interrupted, or the task was cancelled.
    case cancelled

    public var description: String {
        switch self {
        case .sink(let error): error.description
        case .recording(_, let error), .sound(let error): error.description
        case .nothingToPlay: "no recording can be played, not even the chime"
        case .cancelled: "stopped in the middle"
        }
    }
}
