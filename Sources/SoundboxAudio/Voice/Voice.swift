import SoundboxCore
import SoundboxYAML

/// One folder under `sounds/`: what is said, and the recordings that say it.
///
/// Opening reads `voice.yaml` only, which is enough for readings; the recordings are decoded by ``sound(at:)``.
public struct Voice: Sendable {
    public let directory: String
    public let language: Language
    public let recordings: RecordingList
    /// Turns utterances into scripts for these recordings.
    public let writer: ScriptWriter

    /// - Parameter directory: the voice's own folder, such as `/usr/share/soundbox/sounds/zh-CN`. Blocks on the disk.
    public init(directory: String) throws(VoiceError) {
        self.directory = directory
        let path = "\(directory)/voice.yaml"
        do {
            let yaml = try YAMLValue(readingFile: path)
            try yaml.mapping().allow(only: Language.keys + RecordingList.keys)
            language = try Language(reading: yaml)
            recordings = try RecordingList(reading: yaml)
        } catch {
            throw .description(error)
        }
        writer = ScriptWriter(language: language, phrases: recordings.entries.map(\.text))
    }

    private init(directory: String, language: Language, recordings: RecordingList) {
        self.directory = directory
        self.language = language
        self.recordings = recordings
        writer = ScriptWriter(language: language, phrases: recordings.entries.map(\.text))
    }

    /// The voice with those of its recordings that can be played, and what is wrong with the others.
    ///
    /// A box with a recording missing still says every amount that the rest covers, and the fallback for the others;
    /// one that refused to start would say nothing. Decodes every recording: blocks as long as ``sound(at:)``.
    /// - Throws: ``VoiceError/recording(_:)`` when not one can be played.
    public func leavingOutUnusableRecordings() throws(VoiceError) -> (voice: Voice, problems: [RecordingError]) {
        var problems: [RecordingError] = []
        func isUsable(_ file: String) -> Bool {
            do throws(RecordingError) {
                _ = try AudioFile(reading: path(of: file))
                return true
            } catch {
                problems.append(error)
                return false
            }
        }
        var usable = recordings
        usable.entries.removeAll { !isUsable($0.file) }
        if let chime = usable.chime, !isUsable(chime) { usable.chime = nil }
        if usable.entries.isEmpty, let problem = problems.first { throw .recording(problem) }
        return (Voice(directory: directory, language: language, recordings: usable), problems)
    }

    /// Decodes every recording and converts it to a device's rate. Blocks: about a second on a small board.
    public func sound(at sampleRate: Int) throws(VoiceError) -> VoiceSound {
        do {
            var phrases: [[Int16]] = []
            for entry in recordings.entries {
                phrases.append(try samples(entry.file, at: sampleRate))
            }
            return VoiceSound(
                sampleRate: sampleRate,
                chime: try recordings.chime.map { name throws(RecordingError) in
                    try samples(name, at: sampleRate)
                } ?? [], phrases: phrases)
        } catch {
            throw .recording(error)
        }
    }

    private func path(of file: String) -> String { "\(directory)/\(file).flac" }

    private func samples(_ file: String, at sampleRate: Int) throws(RecordingError) -> [Int16] {
        let recording = try AudioFile(reading: path(of: file)).recording
        return try Resampler.resample(recording, to: sampleRate).pcm16
    }
}

/// The recordings of a voice at one sample rate, ready for the mixer.
public struct VoiceSound: Sendable {
    /// Frames per second.
    public let sampleRate: Int
    public let chime: [Int16]
    /// In the order of the voice's list of recordings.
    public let phrases: [[Int16]]
}

/// Why a voice cannot be used. Every case names the file.
public enum VoiceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// `voice.yaml` is missing or wrong.
    case description(YAMLError)
    /// A recording is missing or no sound.
    case recording(RecordingError)
    /// No voice of that locale; the others there are.
    case notFound(locale: String, directory: String, available: [String])

    public var description: String {
        switch self {
        case .description(let error): error.description
        case .recording(let error): error.description
        case .notFound(let locale, let directory, let available):
            available.isEmpty
                ? "there is no voice in \"\(directory)\"; expected a folder such as \(directory)/zh-CN/voice.yaml"
                : "there is no voice \"\(locale)\" in \"\(directory)\"; there are: \(available.joined(separator: ", "))"
        }
    }
}
