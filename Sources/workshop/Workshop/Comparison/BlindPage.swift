import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice

/// A page on which somebody hears amounts from old and new recordings, and judges them without knowing which is which.
/// For `soundbox-voicetools compare --against`:
///
///     let page = try await BlindPage(of: amounts, by: "zh-CN", old: VoiceFolder(path: "old"), new: folder)
///     var random = SystemRandomNumberGenerator()
///     try page.write(to: "blind.html", using: &random)
public struct BlindPage: Sendable {
    /// The recordings of a voice.
    public struct Recordings: Sendable {
        /// The voice's folder, as it was named.
        public let directory: String
        /// The first 12 digits of `cat DIRECTORY/* | sha256sum`, with names in the order of their bytes.
        public let sum: String
    }

    public let voice: String
    public let old: Recordings
    public let new: Recordings
    /// Amounts that one of the two cannot say, and why, and those that sound the same from both.
    public let leftOut: [String]
    let pairs: [(money: Money, old: SpokenAmount, new: SpokenAmount)]
    private let comparison: VoiceComparison
    private let locale: String

    /// Speaks every amount from both, once. Decodes and renders recordings; blocks on the disk.
    ///
    /// - Throws: ``VoiceError`` for a voice that is not in both folders; ``FileError`` for a file that cannot be read.
    public init(
        of amounts: [Money], channel: String? = nil, loudspeaker: Loudspeaker = .full, by name: String,
        old: VoiceFolder, new: VoiceFolder
    ) async throws {
        let voices = (old: try old.voice(name), new: try new.voice(name))
        voice = voices.new.name
        locale = voices.new.language.locale
        self.old = try Recordings(of: voices.old)
        self.new = try Recordings(of: voices.new)
        var seen: Set<Money> = []
        let amounts = amounts.filter { seen.insert($0).inserted }
        var comparison = VoiceComparison(of: amounts, channel: channel, loudspeaker: loudspeaker)
        await comparison.add(name, of: old)
        await comparison.add(name, of: new)
        self.comparison = comparison
        var pairs: [(money: Money, old: SpokenAmount, new: SpokenAmount)] = []
        var leftOut: [String] = []
        for (money, takes) in zip(amounts, comparison.takes) {
            let outcomes = (takes[0].outcome, takes[1].outcome)
            if case (.success(let old), .success(let new)) = outcomes, old.flac != new.flac {
                pairs.append((money, old, new))
                continue
            }
            var reasons: [String] = []
            if case .failure(let failure) = outcomes.0 { reasons.append("\(self.old.directory): \(failure.reason)") }
            if case .failure(let failure) = outcomes.1 { reasons.append("\(self.new.directory): \(failure.reason)") }
            if reasons.isEmpty { reasons.append("it sounds the same from both") }
            leftOut += reasons.map { "\(money.amount) \(money.currency.code) is left out: \($0)" }
        }
        self.pairs = pairs
        self.leftOut = leftOut
    }

    public var amountCount: Int { pairs.count }

    /// Writes the page, one file. Blocks on the disk.
    ///
    /// - Parameter random: draws for each amount which of the two is A.
    /// - Throws: ``FileError`` that names the file. An existing file then stays.
    public func write(to path: String, using random: inout some RandomNumberGenerator) throws {
        try SmallFile.replace(SmallFile.followingLinks(path), with: html(using: &random), mode: 0o644, owner: nil)
    }

    func html(using random: inout some RandomNumberGenerator) -> String {
        data(using: &random).page(from: PackageResources.blind_html)
    }

    /// The page's script shows amounts and sounds. All else goes into the file that the judge sends back.
    private func data(using random: inout some RandomNumberGenerator) -> JSONValue {
        var shown: [JSONValue] = []
        for pair in pairs {
            let sounds = [("old", pair.old), ("new", pair.new)].map { name, spoken in
                JSONValue.object([("recordings", .string(name)), ("flac", .string(Base64.text(of: spoken.flac)))])
            }
            shown.append(
                .object([
                    ("amount", .string("\(pair.money.amount) \(pair.money.currency.code)")),
                    ("sounds", .array(Bool.random(using: &random) ? sounds : sounds.reversed())),
                ]))
        }
        return .object([
            ("locale", .string(locale)), ("voice", .string(voice)), ("old", old.json), ("new", new.json),
            ("channel", comparison.channel.map(JSONValue.string) ?? .null),
            ("loudspeaker", .string(comparison.loudspeaker.words)), ("pairs", .array(shown)),
        ])
    }
}

extension BlindPage.Recordings {
    fileprivate init(of voice: Voice) throws {
        directory = voice.directory
        var content: [UInt8] = []
        let names = try SmallFile.names(in: directory).filter { !$0.hasPrefix(".") }
        for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            let path = "\(directory)/\(name)"
            if !SmallFile.isFolder(path) { content += try SmallFile.content(of: path) }
        }
        sum = String(SHA256.hash(of: content).hexadecimal.prefix(12))
    }

    fileprivate var json: JSONValue { .object([("folder", .string(directory)), ("sum", .string(sum))]) }
}

extension Loudspeaker {
    fileprivate var words: String {
        switch self {
        case .full: "full"
        case .small(let resonance): "small, \(resonance) Hz"
        }
    }
}
