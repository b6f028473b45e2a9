/// By which sign the box knows the time. The raw values are on the wire.
public enum ClockState: String, Sendable, CaseIterable {
    /// The kernel follows a time server, or has done so since it was last set.
    case synchronised
    /// Nothing speaks against the clock, and no time server has confirmed it.
    case unconfirmed
    /// It shows less than what is known for certain, which counts instead.
    case behind
    /// Payments come that it says were paid long ago: nothing counts as late.
    case doubtful
    /// It shows a time before there was this program: nothing counts as late.
    case unset
    /// It shows a year that cannot be.
    case wrong
    /// The kernel may not be asked: a sandbox forbids it.
    case unreadable

    /// In words for people.
    public var summary: String {
        switch self {
        case .synchronised: "synchronised, says the kernel"
        case .unconfirmed:
            "not confirmed by a time server, says the kernel; believed as far as nothing speaks against it"
        case .behind: "behind what is known for certain, which counts instead"
        case .doubtful: "ahead of payments that come just now; nothing counts as late by it"
        case .unset: "not set; nothing counts as late by it"
        case .wrong: "shows a year that cannot be"
        case .unreadable: "the kernel may not be asked whether it is synchronised; look for ProtectClock in the unit"
        }
    }
}
