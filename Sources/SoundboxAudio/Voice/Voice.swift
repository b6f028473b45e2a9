import SoundboxCore
import SoundboxYAML

/// One folder under `sounds/`: what is said, and the recordings that say it.
///
/// Opening reads `voice.yaml` only, which is enough for readings. Recordings stay on the disk, in the kernel's cache,
/// and are decoded when they are about to be played: decoded as a whole, a voice takes tens of megabytes.
public struct Voice: Sendable {
    /// What can be decoded.
    public enum Part: Sendable, Hashable {
        case chime
        /// By its index in the list of recordings.
        case phrase(Int)
    }

    public let directory: String
    public private(set) var language: Language
    public private(set) var recordings: RecordingList
    /// Turns utterances into scripts for these recordings.
    public private(set) var writer: ScriptWriter
    /// How fast the phrases are spoken; the chime stays as it is.
    public var tempo = Tempo.recorded

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

    /// The voice with those of its recordings that can be played, and what is wrong with the others.
    ///
    /// A box with a recording missing still says every amount that the rest covers, and the fallback for the others;
    /// one that refused to start would say nothing. Decodes every recording once and keeps none: blocks for some
    /// hundred milliseconds on a small board.
    /// - Throws: ``VoiceError/recording(_:)`` when not one can be played.
    public func leavingOutUnusableRecordings() throws(VoiceError) -> (voice: Voice, problems: [RecordingError]) {
        var problems: [RecordingError] = []
        var scratch: [Float] = []
        func isUsable(_ file: String) -> Bool {
            do throws(RecordingError) {
                try AudioFile.prove(path(of: file), in: &scratch)
                return true
            } catch {
                problems.append(error)
                return false
            }
        }
        var usable = self
        usable.recordings.entries.removeAll { !isUsable($0.file) }
        if let chime = recordings.chime, !isUsable(chime) { usable.recordings.chime = nil }
        if usable.recordings.entries.isEmpty, let problem = problems.first { throw .recording(problem) }
        if !problems.isEmpty {
            usable.writer = ScriptWriter(language: language, phrases: usable.recordings.entries.map(\.text))
        }
        return (usable, problems)
    }

    /// Reads decimals in this style from now on, whatever `voice.yaml` says.
    public mutating func readDecimals(_ style: DecimalStyle) {
        language.decimalStyle = style
        writer = ScriptWriter(language: language, phrases: recordings.entries.map(\.text))
    }

    /// Does without a recording from now on; the indices of the others stay.
    public mutating func leaveOut(_ part: Part) {
        switch part {
        case .chime: recordings.chime = nil
        // A phrase without text covers nothing.
        case .phrase(let index): recordings.entries[index].text = ""
        }
        writer = ScriptWriter(language: language, phrases: recordings.entries.map(\.text))
    }

    /// Decodes one recording, sets its tempo and converts it to a device's rate. Blocks on the disk, and for a
    /// millisecond or so of work.
    ///
    /// - Returns: mono samples; none for the chime of a voice without one.
    public func samples(of part: Part, at sampleRate: Int) throws(RecordingError) -> [Int16] {
        switch part {
        case .chime:
            guard let chime = recordings.chime else { return [] }
            return try Resampler.resample(try AudioFile(reading: path(of: chime)).recording, to: sampleRate).pcm16
        case .phrase(let index):
            let recording = try AudioFile(reading: path(of: recordings.entries[index].file)).recording
            return try Resampler.resample(try tempo.applied(to: recording), to: sampleRate).pcm16
        }
    }

    private func path(of file: String) -> String { "\(directory)/\(file).flac" }
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
