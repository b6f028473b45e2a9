import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice

/// Amounts in several voices on one page, to listen to and to look at: `soundbox-voicetools compare`.
public struct VoiceComparison: Sendable {
    /// What one voice makes of one amount.
    struct Take: Sendable {
        /// The voice's folder.
        let folder: String
        /// What the language calls itself; `nil` of a voice that does not open.
        let language: (name: String, locale: String)?
        /// What is heard, or why nothing is.
        let outcome: Result<SpokenAmount, Failure>
    }

    struct Failure: Error, Equatable {
        let reason: String
    }

    public let amounts: [Money]
    public let channel: String?
    public let loudspeaker: Loudspeaker
    /// For each amount, every voice.
    private(set) var takes: [[Take]] = []
    /// Why a voice does not open, by its folder.
    public private(set) var problems: [(folder: String, reason: String)] = []

    /// - Parameter loudspeaker: what the sound is made fit for.
    public init(of amounts: [Money], channel: String?, loudspeaker: Loudspeaker = .full) {
        self.amounts = amounts
        self.channel = channel
        self.loudspeaker = loudspeaker
        takes = amounts.map { _ in [] }
    }

    /// Has one more voice speak every amount. What it cannot say, and that it does not open, stands on the page.
    ///
    /// Decodes and renders every recording it needs, so it blocks on the disk.
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

    /// How many amounts are heard, of all voices together.
    public var spokenCount: Int {
        takes.joined().count { take in if case .success = take.outcome { true } else { false } }
    }

    /// Writes the page, which needs no other file. Blocks on the disk.
    /// - Throws: ``FileError`` that names the file. What was there before is then still there.
    public func write(to path: String) throws {
        try SmallFile.replace(path, with: ComparisonPage(self).html, mode: 0o644, owner: nil)
    }
}
