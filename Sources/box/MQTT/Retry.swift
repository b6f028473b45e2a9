import SoundboxCore

/// How long to wait before the next connection attempt.
///
/// The wait doubles from `initial` to `maximum`. Each one is random within its upper half, so that ten thousand boxes
/// do not return to a restarted broker in the same second.
struct Backoff {
    let initial: Duration
    let maximum: Duration
    private var ceiling: Duration

    init(initial: Duration = .milliseconds(500), maximum: Duration = .seconds(30)) {
        self.initial = initial
        self.maximum = maximum
        ceiling = initial
    }

    /// The next wait.
    ///
    /// - Parameter random: a number from 0 up to 1.
    mutating func next(random: () -> Double = { Double.random(in: 0..<1) }) -> Duration {
        let delay = ceiling / 2 + ceiling / 2 * random()
        ceiling = min(ceiling * 2, maximum)
        return delay
    }

    /// The next wait after a stopped broker has refused the connection: between `window` and twice that, if the usual
    /// waits would be shorter.
    ///
    /// Boxes that return at random moments of `window` are as many in each second as the broker can handle. The first
    /// of them, which find the broker down, must not return on top of the others.
    mutating func nextAfterRefusal(
        window: Duration, random: () -> Double = { Double.random(in: 0..<1) }
    ) -> Duration {
        if ceiling < window * 2 { ceiling = min(window * 2, max(maximum, window)) }
        return next(random: random)
    }

    /// Whether the last connection proved itself, and no attempt has failed since.
    var isFresh: Bool { ceiling == initial }

    /// Starts again from `initial`, because the connection proved itself.
    mutating func reset() { ceiling = initial }
}

/// A version of MQTT. The raw value is its protocol level in CONNECT.
enum ProtocolVersion: UInt8, Equatable {
    case v311 = 4
    case v5 = 5
}

/// Which version of MQTT each address speaks. Pure.
///
/// An unknown address is asked for MQTT 5. If it refuses the version or hangs up on it, 3.1.1 follows at once. So an
/// attempt makes two connections at most. Whatever the result of the second one is, the wait before the next attempt is
/// the usual one.
struct ProtocolVersions<Address: Hashable> {
    /// How an attempt ended before the broker had accepted the connection.
    enum Failure {
        /// The broker does not speak this version, or gives a reason that exists only in the other version.
        case version
        /// It hung up, or its answer was no MQTT 5.
        case closed
        /// It sent nothing.
        case silent
    }

    /// How long an address is believed to speak only 3.1.1. The first connection after that tries MQTT 5 again.
    static var trust: Duration { .seconds(24 * 3600) }
    /// After this many hang-ups in a row, an address that has spoken MQTT 5 may no longer do so.
    static var timeout: Int { 3 }

    private enum Knowledge {
        case speaks5(hangUps: Int)
        case speaks311(since: Duration)
        /// 3.1.1 is tried; whether it helps is not known.
        case trial311
    }

    private let choice: BrokerProtocol
    private let avoids5: Bool
    private var known: [Address: Knowledge] = [:]

    /// - Parameter avoids5: asks an unknown address for 3.1.1, and for MQTT 5 only where that is refused.
    init(_ choice: BrokerProtocol, avoids5: Bool = false) { (self.choice, self.avoids5) = (choice, avoids5) }

    /// What to ask an address for.
    func version(for address: Address, at now: Duration) -> ProtocolVersion {
        switch choice {
        case .v5: return .v5
        case .v311: return .v311
        case .auto: break
        }
        switch known[address] {
        case .speaks311(let since): return now - since < Self.trust ? .v311 : .v5
        case .trial311: return .v311
        case .speaks5: return .v5
        case nil: return avoids5 ? .v311 : .v5
        }
    }

    /// Notes that the broker has accepted a connection.
    ///
    /// - Returns: whether it was not known before that the address speaks only 3.1.1.
    mutating func accepted(_ version: ProtocolVersion, by address: Address, at now: Duration) -> Bool {
        guard choice == .auto else { return false }
        switch (version, known[address]) {
        case (.v5, _): known[address] = .speaks5(hangUps: 0)
        case (.v311, .speaks311): break
        case (.v311, _):
            known[address] = .speaks311(since: now)
            return true
        }
        return false
    }

    /// Notes that a packet in MQTT 5 could not be read. The next attempt uses 3.1.1, which has no properties.
    /// libmosquitto considers a property with a control character malformed, some brokers do not; such a message would
    /// end each connection, without end.
    mutating func couldNotBeRead(_ version: ProtocolVersion, from address: Address) {
        if choice == .auto, version == .v5 { known[address] = .trial311 }
    }

    /// Notes that an attempt with `version` has failed.
    ///
    /// - Returns: whether to try the same address at once with the other version.
    mutating func failed(
        _ version: ProtocolVersion, at address: Address, _ failure: Failure
    ) -> Bool {
        guard choice == .auto else { return false }
        guard version == .v5 else {
            // A broker that speaks only MQTT 5 must not be out of reach for as long as it is avoided.
            if avoids5, failure != .silent, known[address] == nil {
                known[address] = .speaks5(hangUps: 0)
                return true
            }
            // It may have been configured for MQTT 5 only, or may just be restarting.
            known[address] = nil
            return false
        }
        if failure != .version, case .speaks5(let hangUps) = known[address], hangUps + 1 < Self.timeout {
            known[address] = .speaks5(hangUps: hangUps + 1)
            return false
        }
        known[address] = .trial311
        // A broker that hangs would only hang again. The next attempt tries 3.1.1.
        return failure != .silent
    }
}
