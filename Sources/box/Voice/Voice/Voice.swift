import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxYAML

/// One folder under `sounds/`: what is said, and the recordings that say it.
///
///     let voice = try Voice(directory: "/usr/share/soundbox/sounds/zh-CN")
///     let script = voice.writer.script(for: .payment(try Money("12.50", .CNY), channel: "alipay"))
///     print(script.text)
///
/// Opening reads only `voice.yaml`, which is enough for readings. Recordings stay on the disk, in the kernel's cache,
/// and are decoded just before they are played: decoded, a whole voice would take tens of megabytes. The player keeps those
/// that were spoken last.
public struct Voice: Sendable {
    /// A recording that can be decoded.
    public enum Part: Sendable, Hashable {
        case chime
        /// By its index in the list of recordings.
        case phrase(Int)
    }

    public let directory: String
    /// Who speaks it; `nil` if `voice.yaml` names nobody.
    public let speaker: VoiceSpeaker?
    public private(set) var language: Language
    public let recordings: RecordingList
    /// Turns utterances into scripts for these recordings.
    public private(set) var writer: ScriptWriter
    /// How fast the phrases are spoken; the chime stays as it is.
    public var tempo = Tempo.recorded
    /// Recordings that are left out for now. Call ``renewWriter()`` after a change.
    var leftOut: [Part: LeftOut] = [:]
    /// Recordings in memory that do not depend on the disk.
    var reserve: [Part: Recording] = [:]
    /// Whether recordings that were not decoded yet may be damaged; see ``readyToSpeak()``.
    var awaitsProof = false

    /// - Parameter directory: the voice's own folder, such as `/usr/share/soundbox/sounds/zh-CN`. Blocks on the disk.
    public init(directory: String) throws(VoiceError) {
        self.directory = directory
        let path = "\(directory)/voice.yaml"
        do {
            let yaml = try YAMLValue(readingFile: path)
            language = try Language(reading: yaml)
            recordings = try RecordingList(reading: yaml)
            let top = try yaml.mapping()
            speaker = if let value = top.optional("speaker") { try VoiceSpeaker(reading: value) } else { nil }
            try top.refuseOtherKeys()
            try Self.refuseChimeOfArrivals(recordings, yaml, in: directory)
        } catch {
            throw .description(error)
        }
        writer = Self.writer(language, recordings)
    }

    /// A copy of the payments' chime under another name is refused as well.
    private static func refuseChimeOfArrivals(
        _ recordings: RecordingList, _ yaml: YAMLValue, in directory: String
    ) throws(YAMLError) {
        guard let chime = recordings.chime, !recordings.chimesOfKinds.isEmpty,
            let own = try? SmallFile.bytes(
                of: RecordingFormat.path(of: "\(directory)/\(chime)"), limit: mostBytesOfChime)
        else { return }
        for (_, value) in try yaml.mapping().optional("kinds")?.mapping().entries ?? [] {
            guard let file = try value.mapping().optional("chime") else { continue }
            let path = RecordingFormat.path(of: "\(directory)/\(try file.string())")
            if (try? SmallFile.bytes(of: path, limit: mostBytesOfChime)) == own {
                throw file.error("it sounds as the chime of payments does, which is theirs alone; expected another")
            }
        }
    }

    private static let mostBytesOfChime = 1 << 20

    /// The name of its folder, which commands use: the locale, followed by the speaker's id if the folder is not the
    /// language's own.
    public var name: String {
        let locale = language.locale
        guard let speaker, directory.hasSuffix("/\(locale)-\(speaker.id)") else { return locale }
        return "\(locale)-\(speaker.id)"
    }

    /// - Parameter isLeftOut: whether a recording, by its index, is left out.
    private static func writer(
        _ language: Language, _ recordings: RecordingList, isLeftOut: (Int) -> Bool = { _ in false }
    ) -> ScriptWriter {
        // A phrase without text covers nothing.
        let phrases = recordings.playable.indices.map { index in
            recordings.entries.indices.contains(index) && !isLeftOut(index) ? recordings.entries[index].text : ""
        }
        let chimes = recordings.chimesOfKinds.compactMapValues { file in
            recordings.playable.lastIndex(of: file).flatMap { isLeftOut($0) ? nil : $0 }
        }
        let endings = Set(recordings.entries.indices.filter { recordings.entries[$0].isEnding })
        return ScriptWriter(language: language, phrases: phrases, endings: endings, chimes: chimes)
    }

    /// Reads decimals in this style from now on, whatever `voice.yaml` says.
    public mutating func readDecimals(_ style: DecimalStyle) {
        language.decimalStyle = style
        renewWriter()
    }

    /// Decodes one recording, sets its tempo and converts it to a device's rate. Blocks on the disk, and computes for a
    /// millisecond or so.
    ///
    /// - Returns: mono samples; none for the chime of a voice without one.
    public func samples(of part: Part, at sampleRate: Int) throws(RecordingError) -> [Int16] {
        guard let path = path(of: part) else { return [] }
        let recording =
            if let held = reserve[part] { held } else { try AudioFile.spoken(path) }
        let spoken = if case .phrase = part { try tempo.applied(to: recording) } else { recording }
        return try Resampler.resample(spoken, to: sampleRate).pcm16
    }

    /// Every recording: the phrases in order, then the chime.
    var parts: [Part] { recordings.playable.indices.map { .phrase($0) } + (recordings.chime == nil ? [] : [.chime]) }

    /// The file's name of a recording, with the ending of its format. Blocks on the disk for a system call or three.
    public func fileName(ofRecording index: Int) -> String {
        let name = file(ofRecording: index)
        return name + RecordingFormat.ending(of: "\(directory)/\(name)")
    }

    /// `nil` for the chime of a voice without one.
    func path(of part: Part) -> String? {
        switch part {
        case .chime: recordings.chime.map(path(ofFile:))
        case .phrase(let index): path(ofFile: file(ofRecording: index))
        }
    }

    private func file(ofRecording index: Int) -> String {
        // The list of all of them takes longer than all that is done with one.
        recordings.entries.indices.contains(index) ? recordings.entries[index].file : recordings.playable[index]
    }

    private func path(ofFile name: String) -> String { RecordingFormat.path(of: "\(directory)/\(name)") }

    /// Call it whenever the language, or the set of recordings left out, has changed.
    mutating func renewWriter() {
        writer = Self.writer(language, recordings) { leftOut[.phrase($0)] != nil }
    }
}

/// Why a voice cannot be used. Every case names the file.
public enum VoiceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// `voice.yaml` is missing or wrong.
    case description(YAMLError)
    /// A recording is missing or no sound.
    case recording(RecordingError)
    /// There is no voice of that name. `available` are the others.
    case notFound(name: String, directory: String, available: [String])

    public var description: String {
        switch self {
        case .description(let error): error.description
        case .recording(let error): error.description
        case .notFound(let name, let directory, let available):
            available.isEmpty
                ? "there is no voice in \"\(directory)\"; expected a folder such as \(directory)/zh-CN/voice.yaml"
                : "there is no voice \"\(name)\" in \"\(directory)\"; there are: \(available.joined(separator: ", "))"
        }
    }
}
