/// How far to trust a time of the box's clock.
public enum ClockTrust: Int64, Sendable, CaseIterable, Comparable {
    /// The clock was not set, something contradicted it, or it has been set since.
    case none = 0
    /// Nothing contradicts it, and no time server has confirmed it. Times of one run of the box can be compared.
    case unconfirmed = 1
    /// It followed a time server. Times can be compared whatever happened to the clock, or the box, in between.
    case confirmed = 2

    public static func < (left: ClockTrust, right: ClockTrust) -> Bool { left.rawValue < right.rawValue }
}

/// What the box knows about the current time.
public struct ClockReading: Sendable, Equatable {
    /// The best known time, to be stored.
    public var time: Timestamp
    public var trust: ClockTrust
    /// A lower bound of the time, whatever the clock shows; `nil` when none is known.
    public var earliest: Timestamp?
    /// A lower bound of the time that only a time server has given, which no message can move; `nil` when none is known.
    public var proven: Timestamp?

    /// - Parameters:
    ///   - earliest: ignored, as `proven` is, if a time server has confirmed the time, which is then both bounds.
    public init(
        _ time: Timestamp, _ trust: ClockTrust = .confirmed, earliest: Timestamp? = nil, proven: Timestamp? = nil
    ) {
        self.time = time
        self.trust = trust
        self.earliest = trust == .confirmed ? time : earliest
        self.proven = trust == .confirmed ? time : proven
    }

    /// `nil` unless a time server has confirmed it.
    public var confirmed: Timestamp? { trust == .confirmed ? time : nil }

    /// `nil` while the clock must not be used.
    public var believed: Timestamp? { trust > .none ? time : nil }
}
