import SoundboxCore
import SoundboxSystem
import Synchronization

/// What the box counts as it happens. Any thread; nothing blocks. One for each box: two boxes in a process do not count
/// each other's payments.
///
/// What can be asked for at any time, such as the queue, is not kept here: it is read when somebody asks. Merchant,
/// device, ids, amounts and channels are never labels: the port has no password, and labels must be few.
package final class BoxMetrics: Sendable {
    /// What became of a notice. The raw values are on the wire.
    enum PaymentState: String, CaseIterable {
        case stored, duplicate, announced, expired, cancelled, rejected
    }

    /// So many may wait to be measured; more are spoken all the same.
    static let mostWaiting = 1024
    /// An arrival that nobody has asked for since will not be asked for.
    private static let longestWait = Duration.seconds(86_400)

    private struct Counts {
        // All of them, so that they are there as 0 before the first one: a rise from nothing is no rise to Prometheus.
        var payments = Dictionary(uniqueKeysWithValues: PaymentState.allCases.map { ($0, 0) })
        var ignored = 0
        var reconnects = 0
        var sessionsLost = 0
        var firstFrame = MetricHistogram(
            bounds: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60])
    }

    private let counts = Mutex(Counts())
    private let wasOnline = Atomic(false)
    /// When the notices came that have not begun to sound, on the clock that is never set.
    private let arrivals = Mutex<[PaymentID: Duration]>([:])

    package init() {}

    // MARK: What happens

    /// - Parameter arrivedAt: as `Duration.monotonicNow` counts.
    func arrived(_ outcome: ArrivalOutcome, at arrivedAt: Duration) {
        switch outcome {
        case .stored(let entry):
            count(.stored)
            arrivals.withLock { arrivals in
                if arrivals.count >= Self.mostWaiting {
                    arrivals = arrivals.filter { arrivedAt - $0.value < Self.longestWait }
                }
                if arrivals.count < Self.mostWaiting { arrivals[entry.notice.id] = arrivedAt }
            }
        case .duplicate: count(.duplicate)
        case .rejected: count(.rejected)
        }
    }

    /// A condition of the mapping was not met.
    func ignored() { counts.withLock { $0.ignored += 1 } }

    /// A notice has been spoken to its end, by itself.
    func announced(_ entry: InboxEntry) {
        count(.announced)
        forget([entry.notice.id])
    }

    func expired(_ entries: [InboxEntry]) {
        count(.expired, entries.count)
        forget(entries.map(\.notice.id))
    }

    func cancelled(_ id: PaymentID) {
        count(.cancelled)
        forget([id])
    }

    func online() {
        if wasOnline.exchange(true, ordering: .relaxed) { counts.withLock { $0.reconnects += 1 } }
    }

    func sessionLost() { counts.withLock { $0.sessionsLost += 1 } }

    private func count(_ state: PaymentState, _ amount: Int = 1) {
        counts.withLock { $0.payments[state, default: 0] += amount }
    }

    private func forget(_ ids: [PaymentID]) { arrivals.withLock { for id in ids { $0[id] = nil } } }

    // MARK: The first frame

    /// Takes down when the first frame of a notice was written.
    final class FirstFrame: Sendable {
        fileprivate let id: PaymentID
        fileprivate let arrival: Duration
        private let time = Atomic<Int64>(0)

        fileprivate init(_ id: PaymentID, _ arrival: Duration) { (self.id, self.arrival) = (id, arrival) }

        /// On the sound thread: one look at the clock, one atomic, no lock and no memory.
        func isNow() { time.store(Duration.monotonicNow.nanoseconds, ordering: .releasing) }

        fileprivate var latency: Duration? {
            let time = time.load(ordering: .acquiring)
            return time == 0 ? nil : .nanoseconds(time) - arrival
        }
    }

    /// - Returns: `nil` for a notice that has been measured, or that came before the start.
    func firstFrame(of entry: InboxEntry) -> FirstFrame? {
        arrivals.withLock { $0[entry.notice.id] }.map { FirstFrame(entry.notice.id, $0) }
    }

    /// An attempt to speak it is over. A notice whose first frame never came is measured in its next attempt.
    func tried(_ frame: FirstFrame) {
        guard let time = frame.latency else { return }
        // Otherwise it has been measured, or was taken back meanwhile.
        guard arrivals.withLock({ $0.removeValue(forKey: frame.id) }) != nil else { return }
        counts.withLock { $0.firstFrame.record(time / .seconds(1)) }
    }
}

extension BoxMetrics: Feature {
    var metricFamilies: [MetricFamily] {
        let counts = counts.withLock { $0 }
        func counter(_ name: String, _ help: String, _ count: Int) -> MetricFamily {
            MetricFamily("soundbox_\(name)_total", .counter, help, Double(count))
        }
        return [
            MetricFamily(
                "soundbox_payments_total", .counter, "What became of notices, of every kind, since the start.",
                PaymentState.allCases.map {
                    .init([.init("state", $0.rawValue)], .number(Double(counts.payments[$0] ?? 0)))
                }),
            counter(
                "notices_ignored", "Messages that a condition of the mapping has ignored since the start.",
                counts.ignored),
            MetricFamily(
                "soundbox_payment_first_frame_seconds", .histogram,
                "Time from a notice's arrival at the box to its first frame at the sound device.",
                [.init([], .histogram(counts.firstFrame))]),
            counter(
                "broker_reconnects", "Connections to the broker after the first one since the start.",
                counts.reconnects),
            counter(
                "sessions_lost", "Sessions that the broker should have kept and has not, since the start.",
                counts.sessionsLost),
        ]
    }
}
