import SoundboxCore

/// The words, chime and light of news other than payments and refunds: a deposit, a number that is called. Kinds belong
/// to the voice and not to the configuration, since their words need recordings.
public struct NewsKind: Sendable, Equatable {
    /// With at most one placeholder: `{amount}`, filled by notices, or `{number}`, filled by custom messages. Either
    /// may have a suffix.
    public var words: String
    /// The file, without `.flac`, that is played before the words; `nil` for none. Never the chime of payments.
    public var chime: String?
    /// Light and vibration during the words.
    public var pattern: OutputPattern

    /// White light without vibration, which is reserved for payments.
    public static let plainPattern = OutputPattern(ending: .hold(PanelOutputs(color: .white)))

    public init(words: String, chime: String? = nil, pattern: OutputPattern = Self.plainPattern) {
        self.words = words
        self.chime = chime
        self.pattern = pattern
    }

    public var hasAmount: Bool { has(.amount) }
    public var hasNumber: Bool { has(.number) }

    private func has(_ placeholder: SentenceTemplate.Placeholder) -> Bool {
        SentenceTemplate.placeholders(in: words).contains { $0.name == placeholder.rawValue }
    }
}
