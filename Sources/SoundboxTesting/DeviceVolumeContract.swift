/// What a device owes that is as loud as the box's volume says, checked on anything that announces: a sink with a
/// scripted mixer, or a whole box on a real one.
///
/// Works without a test framework; a test expects that there are no violations.
public struct DeviceVolumeContract: Sendable {
    /// How the device's own control stands.
    public struct Reading: Sendable, Equatable {
        /// Louder is more; 0 is the bottom of the control.
        public var loudness: Int
        public var isOn: Bool

        public init(loudness: Int, isOn: Bool) {
            self.loudness = loudness
            self.isOn = isOn
        }
    }

    /// Announces something at a volume of 1–100 and reads the control back.
    public var announce: @Sendable (_ level: Int) async throws -> Reading
    /// Switches the control off and turns it down to the bottom, as somebody with another program would.
    public var silence: @Sendable () async throws -> Void

    public init(
        announce: @escaping @Sendable (_ level: Int) async throws -> Reading,
        silence: @escaping @Sendable () async throws -> Void
    ) {
        self.announce = announce
        self.silence = silence
    }

    /// One sentence for every rule that is broken.
    public func violations() async throws -> [String] {
        var violations: [String] = []
        var previous: Reading?
        for level in [1, 50, 80, 100] {
            let reading = try await announce(level)
            if !reading.isOn { violations.append("at volume \(level) it is switched off") }
            if reading.loudness <= previous?.loudness ?? 0 {
                violations.append("volume \(level) is not louder than before")
            }
            previous = reading
        }
        let softer = try await announce(50)
        if softer.loudness >= previous?.loudness ?? 0 { violations.append("volume 50 is not softer than 100") }
        try await silence()
        let again = try await announce(50)
        if again != softer { violations.append("after somebody silenced it: \(again) instead of \(softer)") }
        return violations
    }
}
