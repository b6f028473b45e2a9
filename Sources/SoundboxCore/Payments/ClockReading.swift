/// How far a time of the box's clock can be believed.
public enum ClockTrust: Int64, Sendable, CaseIterable, Comparable {
    /// The clock was not set, something spoke against it, or it has been set since.
    case none = 0
    /// Nothing speaks against it, and no time server has confirmed it. Times of one run of the box can be compared.
    case unconfirmed = 1
    /// It followed a time server. Times can be compared whatever happened to the clock, or the box, in between.
    case confirmed = 2

    public static func < (left: ClockTrust, right: ClockTrust) -> Bool { left.rawValue < right.rawValue }
}

/// What the box knows of the time at one moment.
public struct ClockReading: Sendable, Equatable {
    /// The best that can be said, to be written down.
    public var time: Timestamp
    public var trust: ClockTrust
    /// Before this it cannot be, whatever the clock shows; `nil` when nothing is known.
    public var earliest: Timestamp?

    /// - Parameter earliest: counts only while no time server has confirmed the time, which is the bound then.
    public init(_ time: Timestamp, _ trust: ClockTrust = .confirmed, earliest: Timestamp? = nil) {
        self.time = time
        self.trust = trust
        self.earliest = trust == .confirmed ? time : earliest
    }

    /// `nil` unless a time server has confirmed it.
    public var confirmed: Timestamp? { trust == .confirmed ? time : nil }

    /// `nil` while nothing is to be judged by it.
    public var believed: Timestamp? { trust > .none ? time : nil }
}
