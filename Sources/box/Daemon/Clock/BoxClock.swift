import Logging
import SoundboxCore
import SoundboxSystem
import Synchronization

/// The wall clock, and how far it can be believed:
///
///     let reading = clock.reading
///     reading.confirmed  // the time, if a time server has confirmed it
///     reading.time  // the best guess otherwise
///
/// A board without a clock battery starts in the past, and one with a bad battery at any time. The time comes from a
/// server, and until then from what signed messages prove.
///
/// Any thread. Only ``init(newestKnown:keeper:signs:)``, ``keep()``, ``afterStep(_:)`` and
/// ``doubtArrivals(in:logger:)`` block.
package final class BoxClock: Sendable {
    package typealias Signs = ClockSigns

    /// Why stored arrival times cannot be compared with the clock, unless a server had confirmed them.
    package enum Step: Sendable, Equatable {
        /// The box was off, and the clock may have been changed meanwhile.
        case start
        /// The believed time went forward by a minute or more.
        case forward
    }

    /// 2025-01-01: this program did not exist before.
    static let beginning = Timestamp(millisecondsSince1970: 1_735_689_600_000)
    /// 2041-01-01, 15 years after this release: a later time is wrong, even from a time server. A GPS receiver that
    /// loses count of its weeks is 19.6 years ahead (1,024 weeks); a clock register filled with ones is ahead by 60
    /// years or more.
    static let end = Timestamp(millisecondsSince1970: 2_240_611_200_000)
    /// How far a provider's clock may differ from the box's without a fault.
    static let tolerance = Duration.seconds(300)
    /// A smaller step does not make a payment late.
    static let smallestStep = Duration.seconds(60)
    /// The known time is stored again after it has advanced by this much, to spare the memory card.
    static let keptEvery = Duration.seconds(3600)

    private let signs: @Sendable () -> Signs
    private let keeper: Remembered<KnownTime>
    private let evidence: Mutex<TimeEvidence>
    private let kept: Mutex<Kept>
    /// Held while a step is handled.
    private let stepping = Mutex(())

    /// Blocks on the read of `keeper`.
    ///
    /// - Parameter newestKnown: the newest time that a confirmed clock has given to a payment in the inbox.
    package init(
        newestKnown: Timestamp?, keeper: Remembered<KnownTime> = .none,
        signs: @escaping @Sendable () -> Signs = BoxClock.systemSigns
    ) {
        self.signs = signs
        self.keeper = keeper
        func possible(_ time: Timestamp?) -> Timestamp? { time.flatMap { $0 < Self.end ? $0 : nil } }
        let read = keeper.read().flatMap { possible($0.earliest) == nil ? nil : $0 }
        kept = Mutex(Kept(time: read))
        let proven = [possible(read?.proven), possible(newestKnown)].compactMap(\.self).max()
        let known = [read?.earliest, proven].compactMap(\.self).max()
        evidence = Mutex(TimeEvidence(known: known, proven: proven, at: signs()))
    }

    /// The kernel's clock and its synchronisation.
    package static let systemSigns: @Sendable () -> Signs = {
        let synchronisation = SystemClock.synchronisation
        return Signs(
            now: .now, isSynchronised: synchronisation == .synchronised, offset: SystemClock.offsetFromBoot,
            refusal: synchronisation.refusal)
    }

    package var reading: ClockReading { judge { $0.reading($1) } }

    /// The best guess, for stored times.
    var now: Timestamp { reading.time }

    /// What the time is based on.
    var state: ClockState {
        let signs = signs()
        let state = evidence.withLock { $0.state(signs) }
        return state != .synchronised && signs.refusal != nil ? .unreadable : state
    }

    /// Learns from the time of a message with a valid signature.
    func learn(_ time: Timestamp) { judge { $0.learn(time, $1) } }

    /// Learns from the time of a notice that did not wait at the broker.
    func arrived(paidAt: Timestamp) { judge { $0.arrived(paidAt: paidAt, $1) } }

    /// Why the clock is wrong, in words for people; `nil` if it may be right.
    ///
    /// A clock that is not set yet is not a fault: the network sets it.
    var fault: String? {
        let signs = signs()
        guard signs.now < Self.end else {
            // Only the year, so that the fault's text does not change.
            return "the clock shows the year \(signs.now.description.prefix(4)), which cannot be; set it with "
                + "timedatectl, and look at the time server"
        }
        return evidence.withLock { $0.lag(signs) } == nil
            ? nil : "the clock is behind: signed payments come from its future; look at the time server"
    }

    /// Calls `body` if there was a step since the last one that was handled. If it throws, the next call finds the same
    /// step again.
    ///
    /// One thread handles a step, and others wait: what they store afterwards is not doubted.
    func afterStep<Failure>(_ body: (Step) throws(Failure) -> Void) throws(Failure) {
        guard judge({ $0.step($1) }) != nil else { return }
        try stepping.withLock { (_) throws(Failure) in
            guard let (step, lead) = judge({ $0.step($1) }) else { return }
            try body(step)
            evidence.withLock { $0.compare(by: lead) }
        }
    }

    // MARK: Across restarts

    /// Stores the bounds of the time if one is ``keptEvery`` newer than the stored one. Blocks on the disk then.
    ///
    /// - Returns: what is on the disk; `nil` for nothing.
    @discardableResult
    func keep() throws -> KnownTime? {
        let reading = reading
        let (old, new) = kept.withLock { kept -> (KnownTime?, KnownTime?) in
            guard !kept.isBeingWritten, let earliest = reading.earliest, kept.isOutdated(by: reading) else {
                return (kept.time, nil)
            }
            kept.isBeingWritten = true
            return (kept.time, KnownTime(earliest: earliest, proven: reading.proven))
        }
        guard let new else { return old }
        defer { kept.withLock { $0.isBeingWritten = false } }
        try keeper.write(new)
        kept.withLock { $0.time = new }
        return new
    }

    private struct Kept {
        var time: KnownTime?
        var isBeingWritten = false

        func isOutdated(by reading: ClockReading) -> Bool {
            guard let time, let earliest = reading.earliest else { return true }
            let advance = earliest.duration(since: time.earliest)
            // A time server also corrects a wrong time that messages have taught.
            if advance >= BoxClock.keptEvery || reading.trust == .confirmed && advance < .zero - BoxClock.smallestStep {
                return true
            }
            guard let proven = reading.proven else { return false }
            return time.proven.map { proven.duration(since: $0) >= BoxClock.keptEvery } ?? true
        }
    }

    private func judge<Value>(_ body: (inout TimeEvidence, Signs) -> Value) -> Value {
        let signs = signs()
        return evidence.withLock { body(&$0, signs) }
    }
}

extension BoxClock {
    /// Marks the arrival times from before a step as doubtful. Call before anything is stored after the step. Blocks on
    /// the disk.
    func doubtArrivals(in inbox: any Inbox, logger: Logger) throws(InboxError) {
        try afterStep { (step) throws(InboxError) in
            try inbox.distrustArrivalTimes()
            if step == .forward { logger.notice("the clock was set forward: what waits counts as new") }
        }
    }
}

extension BoxClock: Feature {
    func fill(_ status: inout BoxStatus) { (status.time, status.clock) = (now, state) }

    var metricFamilies: [MetricFamily] {
        let state = state
        return [
            MetricFamily(
                "soundbox_clock_confirmed", .gauge, "Whether the kernel follows a time server.",
                state == .synchronised ? 1 : 0),
            MetricFamily(
                "soundbox_clock_state", .gauge, "1 for the sign by which the box knows the time, 0 for the others.",
                ClockState.allCases.map { .init([.init("state", $0.rawValue)], .number($0 == state ? 1 : 0)) }),
        ]
    }
}

extension Timestamp {
    /// The system's wall clock.
    package static var now: Timestamp { SystemClock.now }
}

/// What one run of the box leaves to the next about the time.
public struct KnownTime: Sendable, Equatable {
    /// A lower bound of the time: ``ClockReading/earliest``.
    public var earliest: Timestamp
    /// ``ClockReading/proven``.
    public var proven: Timestamp?

    public init(earliest: Timestamp, proven: Timestamp?) { (self.earliest, self.proven) = (earliest, proven) }
}
