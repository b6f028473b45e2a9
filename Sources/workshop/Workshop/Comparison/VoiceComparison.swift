import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice

/// A page with amounts in several voices, for `soundbox-voicetools compare`:
///
///     var comparison = VoiceComparison(of: amounts, channel: nil)
///     await comparison.add("zh-CN", of: VoiceFolder(path: "sounds"))
///     try comparison.write(to: "compare.html")
public struct VoiceComparison: Sendable {
    /// One amount in one voice.
    struct Take: Sendable {
        /// The voice's folder.
        let folder: String
        /// The language's own name; `nil` if the voice does not open.
        let language: (name: String, locale: String)?
        /// The sound, or why there is none.
        let outcome: Result<SpokenAmount, Failure>
    }

    struct Failure: Error, Equatable {
        let reason: String
    }

    public let amounts: [Money]
    public let channel: String?
    public let loudspeaker: Loudspeaker
    /// By amount, then by voice.
    private(set) var takes: [[Take]] = []
    /// Why voices do not open, by folder.
    public private(set) var problems: [(folder: String, reason: String)] = []

    /// - Parameter loudspeaker: the loudspeaker that the sound is adapted to.
    public init(of amounts: [Money], channel: String?, loudspeaker: Loudspeaker = .full) {
        self.amounts = amounts
        self.channel = channel
        self.loudspeaker = loudspeaker
        takes = amounts.map { _ in [] }
    }

    /// Adds a voice that speaks every amount. The page shows what it cannot say, or that it does not open.
    ///
    /// Decodes and renders recordings; blocks on the disk.
    public mutating func add(_ name: String, of folder: VoiceFolder) async {
        let voice: Voice
        do { voice = try folder.voice(name) } catch {
            problems.append((name, error.description))
            for index in amounts.indices {
                takes[index].append(
                    Take(folder: name, language: nil, outcome: .failure(Failure(reason: error.description))))
            }
            return
        }
        let renderer = SpeechRenderer(voice: voice, loudspeaker: loudspeaker)
        for (index, money) in amounts.enumerated() {
            let outcome: Result<SpokenAmount, Failure>
            do {
                outcome = .success(try await SpokenAmount(money, channel: channel, by: voice, renderer))
            } catch {
                outcome = .failure(Failure(reason: "\(error)"))
            }
            takes[index].append(
                Take(folder: name, language: (voice.language.name, voice.language.locale), outcome: outcome))
        }
    }

    /// How many amounts were spoken, over all voices.
    public var spokenCount: Int {
        takes.joined().count { take in if case .success = take.outcome { true } else { false } }
    }

    /// Writes the page, one file. Blocks on the disk.
    /// - Throws: ``FileError`` that names the file. An existing file then stays.
    public func write(to path: String) throws {
        try SmallFile.replace(SmallFile.followingLinks(path), with: ComparisonPage(self).html, mode: 0o644, owner: nil)
    }
}
