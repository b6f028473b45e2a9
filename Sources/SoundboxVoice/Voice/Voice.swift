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
    public let recordings: RecordingList
    /// Turns utterances into scripts for these recordings.
    public private(set) var writer: ScriptWriter
    /// How fast the phrases are spoken; the chime stays as it is.
    public var tempo = Tempo.recorded
    /// Recordings that the voice does without for now. Call ``renewWriter()`` after a change.
    var leftOut: [Part: LeftOut] = [:]
    /// What is always there, whatever becomes of the disk.
    var reserve: [Part: HeldRecording] = [:]

    /// - Parameter directory: the voice's own folder, such as `/usr/share/soundbox/sounds/zh-CN`. Blocks on the disk.
    public init(directory: String) throws(VoiceError) {
        self.directory = directory
        let path = "\(directory)/voice.yaml"
        do {
            let yaml = try YAMLValue(readingFile: path)
            language = try Language(reading: yaml)
            recordings = try RecordingList(reading: yaml)
            try yaml.mapping().refuseOtherKeys()
        } catch {
            throw .description(error)
        }
        writer = ScriptWriter(language: language, phrases: recordings.entries.map(\.text))
    }

    /// Reads decimals in this style from now on, whatever `voice.yaml` says.
    public mutating func readDecimals(_ style: DecimalStyle) {
        language.decimalStyle = style
        renewWriter()
    }

    /// Decodes one recording, sets its tempo and converts it to a device's rate. Blocks on the disk, and for a
    /// millisecond or so of work.
    ///
    /// - Returns: mono samples; none for the chime of a voice without one.
    public func samples(of part: Part, at sampleRate: Int) throws(RecordingError) -> [Int16] {
        guard let path = path(of: part) else { return [] }
        let recording =
            if let held = reserve[part] { held.recording } else { try AudioFile(reading: path).recording }
        let spoken = if case .phrase = part { try tempo.applied(to: recording) } else { recording }
        return try Resampler.resample(spoken, to: sampleRate).pcm16
    }

    /// Every recording: the phrases in their order, then the chime.
    var parts: [Part] { recordings.entries.indices.map { .phrase($0) } + (recordings.chime == nil ? [] : [.chime]) }

    /// `nil` for the chime of a voice without one.
    func path(of part: Part) -> String? {
        switch part {
        case .chime: recordings.chime.map { "\(directory)/\($0).flac" }
        case .phrase(let index): "\(directory)/\(recordings.entries[index].file).flac"
        }
    }

    /// To be called whenever the language, or what is left out, has changed. A phrase without text covers nothing.
    mutating func renewWriter() {
        writer = ScriptWriter(
            language: language,
            phrases: recordings.entries.enumerated().map { leftOut[.phrase($0.offset)] == nil ? $0.element.text : "" })
    }
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
