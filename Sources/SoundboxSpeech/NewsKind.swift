import SoundboxCore

/// How a voice tells news other than of payments and refunds: a deposit, a number that is called. Kinds are the voice's
/// and not the configuration's, since their words need recordings.
public struct NewsKind: Sendable, Equatable {
    /// With at most one placeholder: `{amount}`, which notices fill, or `{number}`, which custom messages fill; either
    /// may have a suffix.
    public var words: String
    /// The file, without `.flac`, that is played before the words; `nil` for none. Never the chime of arrivals.
    public var chime: String?
    /// What light and vibration do meanwhile.
    public var pattern: OutputPattern

    /// White light and no vibration, which belongs to payments.
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
