import SoundboxVoice
import Synchronization

extension Voice {
    /// A voice that ships with the box: `try Voice.shipped("en-US")`. Each is read once for all tests, since a list of two
    /// thousand recordings takes its time in a debug build; none is decoded. Any thread.
    package static func shipped(_ name: String = "zh-CN") throws -> Voice {
        try shippedVoices.withLock { voices in
            if let voice = voices[name] { return voice }
            let voice = try VoiceFolder(path: shippedSounds).voice(name)
            voices[name] = voice
            return voice
        }
    }
}

private let shippedVoices = Mutex<[String: Voice]>([:])
