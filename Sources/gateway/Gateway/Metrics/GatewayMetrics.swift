import SoundboxCore
import Synchronization

/// What the gateway counts as it happens. Any thread; never blocks.
package final class GatewayMetrics: Sendable {
    /// What became of a request that brings a payment. The raw value is the label.
    package enum Answer: String, CaseIterable, Sendable {
        case accepted, known, differs, refused, ignored, unauthorised, forbidden, failed
        case tooFast = "too_fast"
        /// A genuine webhook's payment that is for none of the hook's boxes.
        case noBox = "no_box"
        /// A genuine webhook that is stored, since it cannot be read or is for no box.
        case unread
    }

    private struct Counts {
        /// By what became of the request.
        var requests: [Answer: Int] = [:]
        var resends = 0
        var ended: [PaymentState: Int] = [:]
        /// By receiver and outcome.
        var callbacks: [String: [CallbackWord: Int]] = [:]
        /// Seconds from the request to the receipt `announced`.
        var announced = MetricHistogram(bounds: [0.5, 1, 2, 5, 10, 30, 60, 300, 1800, 14_400])
    }

    private enum CallbackWord: String, CaseIterable {
        case taken, refused
        case givenUp = "given_up"
    }

    private let counts = Mutex(Counts())

    package init() {}

    package func count(_ answer: Answer) { counts.withLock { $0.requests[answer, default: 0] += 1 } }

    package func count(_ outcome: DeliveryTurnOutcome, at now: Duration) {
        counts.withLock { counts in
            counts.resends += outcome.resent
            for payment in outcome.ended { counts.ended[payment.state, default: 0] += 1 }
            for payment in outcome.announced {
                counts.announced.record((now - payment.accepted.running) / .seconds(1))
            }
        }
    }

    /// What came of an attempt to send a callback.
    package func count(_ outcome: CallbackResult.Outcome, of receiver: String) {
        let word: CallbackWord =
            switch outcome {
            case .taken: .taken
            case .refused: .refused
            }
        counts.withLock { $0.callbacks[receiver, default: [:]][word, default: 0] += 1 }
    }

    package func count(givenUpCallbacks counts: [String: Int]) {
        self.counts.withLock { all in
            for (receiver, count) in counts { all.callbacks[receiver, default: [:]][.givenUp, default: 0] += count }
        }
    }

    /// - Parameters:
    ///   - receivers: those of gateway.yaml.
    ///   - backlogs: what waits, also for others; `nil` leaves out what cannot be read.
    ///   - now: ``Moment/running``
    package func callbackFamilies(
        receivers: [String], backlogs: [String: CallbackBacklog]?, at now: Duration
    ) -> [MetricFamily] {
        let counts = counts.withLock { $0.callbacks }
        let names = Set(receivers).union(backlogs.map { Set($0.keys) } ?? []).union(counts.keys).sorted()
        guard !names.isEmpty else { return [] }
        return [
            MetricFamily(
                "soundbox_gateway_callbacks_total", .counter, "Attempts to send a callback, by what came of them.",
                names.flatMap { name in
                    CallbackWord.allCases.map {
                        .init(
                            [.init("receiver", name), .init("outcome", $0.rawValue)],
                            .number(Double(counts[name]?[$0] ?? 0)))
                    }
                })
        ]
            + (backlogs.map { backlogs in
                [
                    MetricFamily(
                        "soundbox_gateway_callbacks_waiting", .gauge, "Callbacks that the receiver has not taken.",
                        names.map { .init([.init("receiver", $0)], .number(Double(backlogs[$0]?.count ?? 0))) }),
                    MetricFamily(
                        "soundbox_gateway_callbacks_oldest_seconds", .gauge, "Age of the oldest one that waits.",
                        names.map { name in
                            let age = backlogs[name].map { (now - $0.oldest) / .seconds(1) } ?? 0
                            return .init([.init("receiver", name)], .number(age))
                        }),
                ]
            } ?? [])
    }

    package func countGivenUp(_ count: Int) {
        if count > 0 { counts.withLock { $0.ended[.givenUp, default: 0] += count } }
    }

    /// - Parameters:
    ///   - stored: what the store says; `nil` leaves out what cannot be read.
    ///   - now: ``Moment/running``.
    package func families(
        _ stored: StoreReader.Counts?, boxes: [BoxID: KnownBox], isConnected: Bool, at now: Duration
    ) -> [MetricFamily] {
        let counts = counts.withLock { $0 }
        return (stored.map { Self.families($0, at: now) } ?? []) + [
            MetricFamily(
                "soundbox_gateway_connected", .gauge, "1 while connected to the broker.", isConnected ? 1 : 0),
            MetricFamily(
                "soundbox_gateway_requests_total", .counter, "Payments posted, by the answer.",
                Answer.allCases.map {
                    .init([.init("answer", $0.rawValue)], .number(Double(counts.requests[$0] ?? 0)))
                }),
            MetricFamily(
                "soundbox_gateway_resends_total", .counter, "Payments published again.", Double(counts.resends)),
            MetricFamily(
                "soundbox_gateway_ended_total", .counter, "Payments by how they ended.",
                [PaymentState.announced, .expired, .cancelled, .failed, .givenUp].map {
                    .init([.init("state", $0.rawValue)], .number(Double(counts.ended[$0] ?? 0)))
                }),
            MetricFamily(
                "soundbox_gateway_boxes", .gauge, "Boxes that a status was seen of.", Double(boxes.count)),
            MetricFamily(
                "soundbox_gateway_boxes_offline", .gauge, "Boxes that are not online.",
                Double(boxes.values.count { !$0.isOnline(at: now) })),
            MetricFamily(
                "soundbox_gateway_boxes_faulty", .gauge, "Boxes online with a fault.",
                Double(boxes.values.count { $0.isOnline(at: now) && !$0.faults.isEmpty })),
            MetricFamily(
                "soundbox_gateway_announced_seconds", .histogram, "From the request to the receipt announced.",
                [.init([], .histogram(counts.announced))]),
        ]
    }

    private static func families(_ stored: StoreReader.Counts, at now: Duration) -> [MetricFamily] {
        let ages = ["1m": 60, "5m": 300, "1h": 3600, "1d": 86_400, "3d": 259_200]
            .sorted { $0.value < $1.value }.map { name, seconds in
                MetricFamily.Series(
                    [.init("younger_than", name)],
                    .number(Double(stored.openSince.count { now - $0 < .seconds(seconds) })))
            }
        return [
            MetricFamily(
                "soundbox_gateway_waiting", .gauge, "Payments that no box has acknowledged, younger than this.", ages),
            MetricFamily(
                "soundbox_gateway_unread", .gauge, "Genuine webhooks kept that could not be read.",
                Double(stored.unread)),
        ]
    }
}
