import Logging
import SoundboxCore
import SoundboxSystem
import Synchronization

/// The wall clock, and how far it can be believed. A small board without a clock battery starts in the past, one with a
/// bad battery anywhere; the time comes from a server, and until then from what signed messages prove.
///
/// Any thread. Nothing blocks but ``keep(_:)`` and ``afterStep(_:)``.
package final class BoxClock: Sendable {
    package typealias Signs = ClockSigns

    /// Why the times of arrival that are stored cannot be compared with the clock, unless a server had confirmed them.
    package enum Step: Sendable, Equatable {
        /// The box was off, and nobody knows what happened to the clock in the meantime.
        case start
        /// What is believed of the time went forward by a minute or more.
        case forward
    }

    /// Nobody can have run this program before this time.
    static let beginning = Timestamp(millisecondsSince1970: 1_735_689_600_000)
    /// From here on, 15 years after this release, the clock is wrong, whoever set it. A GPS receiver that loses count
    /// of its weeks is 19.6 years ahead (1,024 weeks); a clock register filled with ones is ahead by 60 years or more.
    static let end = Timestamp(millisecondsSince1970: 2_240_611_200_000)
    /// How far a provider's clock may be from the box's before somebody should look at them.
    static let tolerance = Duration.seconds(300)
    /// A smaller step does not make news old.
    static let smallestStep = Duration.seconds(60)
    /// What is known of the time is kept anew when it has gone on by this much: the card is not to be worn out by it.
    static let keptEvery = Duration.seconds(3600)

    private let signs: @Sendable () -> Signs
    private let keeper: Remembered<Timestamp>
    private let evidence: Mutex<TimeEvidence>
    private let kept: Mutex<Kept>
    /// Held while a step is dealt with.
    private let stepping = Mutex(())

    /// Blocks on what `keeper` reads.
    ///
    /// - Parameter newestKnown: the newest time that a confirmed clock has given to a payment in the inbox.
    package init(
        newestKnown: Timestamp?, keeper: Remembered<Timestamp> = .none,
        signs: @escaping @Sendable () -> Signs = BoxClock.systemSigns
    ) {
        self.signs = signs
        self.keeper = keeper
        let read = keeper.read().flatMap { $0 < Self.end ? $0 : nil }
        let newest = newestKnown.flatMap { $0 < Self.end ? $0 : nil }
        kept = Mutex(Kept(time: read))
        evidence = Mutex(TimeEvidence(known: [read, newest].compactMap(\.self).max(), at: signs()))
    }

    /// What the kernel says.
    package static let systemSigns: @Sendable () -> Signs = {
        let synchronisation = SystemClock.synchronisation
        return Signs(
            now: .now, isSynchronised: synchronisation == .synchronised, offset: SystemClock.offsetFromBoot,
            refusal: synchronisation.refusal)
    }

    package var reading: ClockReading { judge { $0.reading($1) } }

    /// The best that can be said, to be written down.
    var now: Timestamp { reading.time }

    /// Which sign it goes by.
    var state: ClockState {
        let signs = signs()
        let state = evidence.withLock { $0.state(signs) }
        return state != .synchronised && signs.refusal != nil ? .unreadable : state
    }

    /// Takes the time of a message whose signature fits.
    func learn(_ time: Timestamp) { judge { $0.learn(time, $1) } }

    /// Takes the time of a notice that did not wait at the broker.
    func arrived(paidAt: Timestamp) { judge { $0.arrived(paidAt: paidAt, $1) } }

    /// Why the clock cannot be right, in words for people; `nil` when it can.
    ///
    /// A clock that has not been set yet is no fault: it comes right when the network does.
    var fault: String? {
        let signs = signs()
        guard signs.now < Self.end else {
            // The year alone, so that the fault stays the same one.
            return "the clock shows the year \(signs.now.description.prefix(4)), which cannot be; set it with "
                + "timedatectl, and look at the time server"
        }
        return evidence.withLock { $0.lag(signs) } == nil
            ? nil : "the clock is behind: signed payments come from its future; look at the time server"
    }

    /// Has `body` deal with a step, if there was one since the last that was dealt with. When it throws, the next call
    /// finds the step again.
    ///
    /// One thread deals with it, and every other one that comes meanwhile waits: what that stores afterwards is not doubted.
    func afterStep<Failure>(_ body: (Step) throws(Failure) -> Void) throws(Failure) {
        guard judge({ $0.step($1) }) != nil else { return }
        try stepping.withLock { (_) throws(Failure) in
            guard let (step, lead) = judge({ $0.step($1) }) else { return }
            try body(step)
            evidence.withLock { $0.compare(by: lead) }
        }
    }

    // MARK: Across restarts

    /// Keeps the moment that it cannot be earlier than, when that is newer by ``keptEvery`` than what was kept. Blocks on
    /// the disk then.
    ///
    /// - Returns: what is on the disk now; `nil` when nothing is.
    @discardableResult
    func keep() throws -> Timestamp? {
        let reading = reading
        let (old, new) = kept.withLock { kept -> (Timestamp?, Timestamp?) in
            guard !kept.isBeingWritten, let earliest = reading.earliest, kept.isOutdated(by: reading) else {
                return (kept.time, nil)
            }
            kept.isBeingWritten = true
            return (kept.time, earliest)
        }
        guard let new else { return old }
        defer { kept.withLock { $0.isBeingWritten = false } }
        try keeper.write(new)
        kept.withLock { $0.time = new }
        return new
    }

    private struct Kept {
        var time: Timestamp?
        var isBeingWritten = false

        func isOutdated(by reading: ClockReading) -> Bool {
            guard let time, let earliest = reading.earliest else { return true }
            let advance = earliest.duration(since: time)
            // A server also takes back what somebody has taught wrongly.
            return advance >= BoxClock.keptEvery
                || reading.trust == .confirmed && advance < .zero - BoxClock.smallestStep
        }
    }

    private func judge<Value>(_ body: (inout TimeEvidence, Signs) -> Value) -> Value {
        let signs = signs()
        return evidence.withLock { body(&$0, signs) }
    }
}

extension BoxClock {
    /// Has the inbox doubt the times of arrival from before a step. Before anything is stored after it, since that has the
    /// right time. Blocks on the disk.
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
