import Glibc
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem

/// The folder with the voices: one sub-folder for each language, `zh-CN`, and one for each further speaker,
/// `zh-CN-yunxi`.
///
///     let folder = VoiceFolder(path: "/usr/share/soundbox/sounds")
///     let voice = try folder.voice("zh-CN-yunxi")
///     print(folder.names, voice.name)
public struct VoiceFolder: Sendable {
    public let path: String

    public init(path: String) {
        self.path = path
    }

    /// The sub-folders that have a `voice.yaml`, sorted. Blocks on the disk.
    public var names: [String] {
        let names = (try? SmallFile.names(in: path)) ?? []
        return names.filter { $0.first != "." && access("\(path)/\($0)/voice.yaml", R_OK) == 0 }.sorted()
    }

    /// The voices in them, sorted by name. Reads every `voice.yaml`, so it blocks on the disk.
    public var entries: [VoiceEntry] { names.map { VoiceEntry(name: $0, in: path) } }

    /// The locales of the voices, each once, sorted. Blocks on the disk as ``entries`` does.
    public var locales: [String] { Set(entries.map(\.locale)).sorted() }

    /// Opens a voice by its folder's name. The speaker of a language's own folder can be named like other speakers:
    /// `zh-CN-xiaoxiao` is `zh-CN` if xiaoxiao speaks it. Blocks on the disk.
    public func voice(_ name: String) throws(VoiceError) -> Voice {
        // A name must be one of the folders, so that it cannot lead out of this one.
        let names = names
        if !name.contains("/"), names.contains(name) { return try open(name) }
        let usual = names.first { folder in
            guard name.hasPrefix("\(folder)-") else { return false }
            let entry = VoiceEntry(name: folder, in: path)
            return entry.isUsual && entry.speaker.map { name == "\(folder)-\($0.id)" } == true
        }
        guard let usual else { throw .notFound(name: name, directory: path, available: names) }
        return try open(usual)
    }

    /// Opens the voice that speaks a language on a box. If the wanted speaker is not installed or cannot be used,
    /// another one of the language speaks instead, since silence would be worse. Blocks on the disk.
    ///
    /// - Parameters:
    ///   - speaker: the wanted speaker's id; `nil` for the language's own folder.
    ///   - prepare: makes what the caller needs of a voice; a voice for which it throws cannot be used.
    /// - Throws: why the wanted voice cannot be used, if no other one of the language can either.
    public func speaking<Prepared>(
        _ locale: String, speaker: String?, _ prepare: (Voice) throws(VoiceError) -> Prepared
    ) throws(VoiceError) -> (prepared: Prepared, standIn: StandIn?) {
        // Nearly always the folder's name is enough, and no other voice has to be read.
        let asked = speaker.map { "\(locale)-\($0)" } ?? locale
        var failure: VoiceError?
        if names.contains(asked) {
            do throws(VoiceError) {
                let voice = try open(asked)
                if speaker == nil || voice.language.locale == locale { return (try prepare(voice), nil) }
            } catch {
                failure = error
            }
        }
        let candidates = candidates(locale, speaker).filter { $0.name != asked }
        let isAsAsked = speaker.map { candidates.first?.speaker?.id == $0 } ?? false
        for candidate in candidates {
            do throws(VoiceError) {
                let prepared = try prepare(try open(candidate.name))
                if let failure { return (prepared, .unusable(failure, speaks: candidate.name)) }
                if isAsAsked { return (prepared, nil) }
                return (
                    prepared,
                    speaker.map { .notInstalled(locale: locale, speaker: $0, speaks: candidate.name) }
                        ?? .onlyOne(locale: locale, speaks: candidate.name)
                )
            } catch {
                failure = failure ?? error
            }
        }
        throw failure ?? .notFound(name: locale, directory: path, available: names)
    }

    /// The voices that speak a language, the best first: the wanted speaker, the language's own folder, the others.
    package func candidates(_ locale: String, _ speaker: String?) -> [VoiceEntry] {
        // Only these folders can hold the language, so not every voice is read at each start.
        let known = names.filter { $0 == locale || $0.hasPrefix("\(locale)-") }.map { VoiceEntry(name: $0, in: path) }
        let others = known.filter { $0.name == locale || $0.locale == locale }.sorted { left, right in
            left.isUsual != right.isUsual ? left.isUsual : left.name < right.name
        }
        guard let speaker else { return others }
        return others.filter { $0.speaker?.id == speaker } + others.filter { $0.speaker?.id != speaker }
    }

    /// Whether a speaker of a language is installed. Blocks on the disk.
    public func hasSpeaker(_ speaker: String, of locale: String) -> Bool {
        candidates(locale, speaker).first?.speaker?.id == speaker
    }

    private func open(_ name: String) throws(VoiceError) -> Voice {
        let voice = try Voice(directory: "\(path)/\(name)")
        let locale = voice.language.locale
        guard name.hasPrefix("\(locale)-"), name != voice.name else { return voice }
        throw .description(
            YAMLError(
                file: "\(voice.directory)/voice.yaml", line: nil, key: "speaker.id",
                problem: voice.speaker.map {
                    "\"\($0.id)\" does not fit the folder \"\(name)\"; expected \"\(name.dropFirst(locale.count + 1))\""
                } ?? "this key is missing; a folder \"\(name)\" beside \"\(locale)\" is another speaker's"))
    }
}

/// Why another speaker is used than the wanted one, or than the language's own folder.
public enum StandIn: Sendable, Equatable, CustomStringConvertible {
    /// No speaker was chosen, and the language's own folder is not installed.
    case onlyOne(locale: String, speaks: String)
    case notInstalled(locale: String, speaker: String, speaks: String)
    case unusable(VoiceError, speaks: String)

    /// Whether somebody should correct it.
    public var isFault: Bool { if case .onlyOne = self { false } else { true } }

    public var description: String {
        switch self {
        case .onlyOne(let locale, let speaks): "no speaker is chosen for \(locale); \(speaks) is installed and speaks"
        case .notInstalled(let locale, let speaker, let speaks):
            "speaker \"\(speaker)\" of \(locale) is not installed; \(speaks) speaks instead"
        case .unusable(let error, let speaks): "\(error); \(speaks) speaks instead"
        }
    }
}
