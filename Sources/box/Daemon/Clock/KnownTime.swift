import SoundboxCore

/// What one run of the box leaves to the next about the time.
public struct KnownTime: Sendable, Equatable {
    /// A lower bound of the time: ``ClockReading/earliest``.
    public var earliest: Timestamp
    /// ``ClockReading/proven``.
    public var proven: Timestamp?

    public init(earliest: Timestamp, proven: Timestamp?) { (self.earliest, self.proven) = (earliest, proven) }
}
