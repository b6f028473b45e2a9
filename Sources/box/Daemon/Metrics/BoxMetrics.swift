import Glibc
import SoundboxCore
import SoundboxSystem
import SoundboxYAML
import Synchronization

/// Counts events of the box. Any thread; never blocks. One for each box, so that two boxes in a process are counted
/// apart.
///
/// Values that can be read at any time, such as the length of the queue, are not stored here. Merchant, device, ids,
/// amounts and channels are never labels: the port has no password, and labels must be few.
package final class BoxMetrics: Sendable {
    /// The result of a notice. The raw values are label values.
    enum PaymentState: String, CaseIterable {
        case stored, duplicate, announced, expired, cancelled, rejected
    }

    /// How many arrivals are kept for the latency; further ones are not measured.
    static let mostWaiting = 1024
    /// An arrival that was not announced for this long is forgotten when there is no room.
    private static let longestWait = Duration.seconds(86_400)

    private struct Counts {
        // Every state starts at 0: Prometheus does not see the first increase of a series that did not exist.
        var payments = Dictionary(uniqueKeysWithValues: PaymentState.allCases.map { ($0, 0) })
        var ignored = 0
        var reconnects = 0
        var sessionsLost = 0
        var firstFrame = MetricHistogram(
            bounds: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60])
    }

    private let counts = Mutex(Counts())
    private let wasOnline = Atomic(false)
    /// When notices arrived that have not begun to play, on the monotonic clock.
    private let arrivals = Mutex<[PaymentID: Duration]>([:])

    package init() {}

    // MARK: What happens

    /// - Parameter arrivedAt: on the monotonic clock.
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

    /// Call for a message that does not meet a condition of the mapping.
    func ignored() { counts.withLock { $0.ignored += 1 } }

    /// Call for a notice that was spoken to its end, not in a summary.
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

    /// Records when the first frame of a notice was written.
    final class FirstFrame: Sendable {
        fileprivate let id: PaymentID
        fileprivate let arrival: Duration
        private let time = Atomic<Int64>(0)

        fileprivate init(_ id: PaymentID, _ arrival: Duration) { (self.id, self.arrival) = (id, arrival) }

        /// On the sound thread: one clock reading and one atomic, no lock, no allocation.
        func isNow() { time.store(Duration.monotonicNow.nanoseconds, ordering: .releasing) }

        fileprivate var latency: Duration? {
            let time = time.load(ordering: .acquiring)
            return time == 0 ? nil : .nanoseconds(time) - arrival
        }
    }

    /// - Returns: `nil` for a notice that was measured, or arrived before the start.
    func firstFrame(of entry: InboxEntry) -> FirstFrame? {
        arrivals.withLock { $0[entry.notice.id] }.map { FirstFrame(entry.notice.id, $0) }
    }

    /// Call after an attempt to speak it. Without a first frame, the next attempt measures it.
    func tried(_ frame: FirstFrame) {
        guard let time = frame.latency else { return }
        // `nil`: it was measured or cancelled meanwhile.
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

/// Disk space and temperatures of the machine.
struct MachineMetrics: Feature {
    /// `nil` for a box that keeps nothing: there is no disk to tell of.
    let stateDirectory: String?
    let thermalFolder: String

    var metricFamilies: [MetricFamily] {
        guard let stateDirectory else { return [] }
        let reading = MachineReading(stateDirectory: stateDirectory, thermalFolder: thermalFolder)
        var families: [MetricFamily] = []
        if let free = reading.freeBytes {
            families.append(
                MetricFamily(
                    "soundbox_state_directory_free_bytes", .gauge, "Room on the disk of the state directory.",
                    Double(free)))
        }
        if !reading.temperatures.isEmpty {
            families.append(
                MetricFamily(
                    "soundbox_board_temperature_celsius", .gauge, "What the board's thermal zones measure.",
                    reading.temperatures.map {
                        .init([.init("zone", $0.zone), .init("type", $0.type)], .number($0.celsius))
                    }))
        }
        return families
    }
}

extension ListenAddress {
    /// `metrics: {listen: "127.0.0.1:9464"}`
    init(readingMetrics value: YAMLValue) throws(YAMLError) {
        let mapping = try value.mapping()
        let listen = try mapping.required("listen")
        try mapping.refuseOtherKeys()
        let text = try listen.string()
        let match = text.wholeMatch(of: /(?:\[([0-9A-Fa-f:.]+)\]|([0-9.]+)):([0-9]{1,5})/)
        guard let match, let port = Int(match.3), 1...65_535 ~= port,
            let address = match.2.map({ Self.bytes($0, AF_INET, 4) }) ?? match.1.map({ Self.bytes($0, AF_INET6, 16) }),
            let address = address.flatMap({ InternetAddress(bytes: $0) })
        else {
            throw listen.error(
                "expected an address of this machine and a port, such as \"127.0.0.1:9464\" or \"[::1]:9464\""
                    + listen.found(text))
        }
        guard !address.isPublic else {
            throw listen.error(
                "is an address of the Internet, and whoever reaches it could read the metrics; expected one of this "
                    + "machine or of a private network, such as \"127.0.0.1:9464\"")
        }
        listen.mayBeShown()
        self.init(address, port: port)
    }

    /// In network byte order.
    private static func bytes(_ text: Substring, _ family: Int32, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return inet_pton(family, String(text), &bytes) == 1 ? bytes : nil
    }
}
