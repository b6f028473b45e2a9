/// The kind of loudspeaker, for which the sound is processed.
public enum Loudspeaker: Sendable, Equatable {
    /// A line output, or a full-range loudspeaker: sound is played as it was mixed.
    case full
    /// A driver of a few centimetres.
    ///
    /// - Parameter resonance: in Hz, one of ``resonances``. Below it the cone moves much and is hardly heard.
    case small(resonance: Int = usualResonance)

    /// Hz.
    public static let resonances = 100...1000
    /// Of a 40 mm driver, in Hz.
    public static let usualResonance = 300
}

extension Loudspeaker {
    private enum Kind: String, CaseIterable {
        case full, small
    }

    /// `full`, `small`, or `{kind: small, resonance: 350}`.
    public init(reading value: YAMLValue) throws(YAMLError) {
        guard value.isMapping else {
            self = try value.choice(of: Kind.self) == .small ? .small() : .full
            return
        }
        let mapping = try value.mapping()
        let kind = try mapping.required("kind").choice(of: Kind.self)
        let resonance = mapping.optional("resonance")
        try mapping.refuseOtherKeys()
        switch kind {
        case .small:
            self = .small(resonance: try resonance?.integer(in: Self.resonances) ?? Self.usualResonance)
        case .full:
            if let resonance { throw resonance.error("is of use with kind: small only") }
            self = .full
        }
    }
}
