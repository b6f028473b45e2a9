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
