/// How the box knows the time. The raw values are used in the status.
public enum ClockState: String, Sendable, CaseIterable {
    /// The kernel follows a time server, or has done so since the clock was last set.
    case synchronised
    /// Nothing contradicts the clock, and no time server has confirmed it.
    case unconfirmed
    /// It shows less than the known lower bound, which is used instead.
    case behind
    /// Payments arrive that were paid long ago by this clock: nothing counts as late.
    case doubtful
    /// It shows a time before this program existed: nothing counts as late.
    case unset
    /// It shows an impossible year.
    case wrong
    /// The kernel cannot be asked: a sandbox forbids it.
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
