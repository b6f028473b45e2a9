import CoreMetrics
import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxBox

@Suite("What is emitted is kept until somebody asks")
struct MetricsRegistryTests {
    private func text(_ registry: MetricsRegistry) throws -> Exposition {
        try Exposition(PrometheusText.text(registry.families))
    }

    @Test("Counters, gauges, recorders and timers, each described and each once")
    func kinds() throws {
        let registry = MetricsRegistry(["t_seconds": .init(help: "Time.", bounds: [0.5, 1])])
        // Twice the same is the same.
        for _ in 1...2 { Counter(label: "a_total", dimensions: [("k", "v")], factory: registry).increment(by: 2) }
        Counter(label: "a_total", dimensions: [("k", "w")], factory: registry).increment()
        Gauge(label: "g", factory: registry).record(1.5)
        Recorder(label: "r", factory: registry).record(7)
        Timer(label: "t_seconds", factory: registry).recordMilliseconds(750)
        let read = try text(registry)
        #expect(read[#"a_total{k="v"}"#] == 4 && read[#"a_total{k="w"}"#] == 1)
        #expect(read["g"] == 1.5)
        #expect(read[#"r_bucket{le="+Inf"}"#] == 1 && read["r_sum"] == 7)
        #expect(read[#"t_seconds_bucket{le="0.5"}"#] == 0 && read[#"t_seconds_bucket{le="1"}"#] == 1)
        #expect(read["t_seconds_sum"] == 0.75 && read.families["t_seconds"]?.help == "Time.")
    }

    @Test("A name that is of another kind already keeps its kind")
    func otherKind() throws {
        let registry = MetricsRegistry()
        Counter(label: "a_total", factory: registry).increment()
        Timer(label: "a_total", dimensions: [("k", "v")], factory: registry).recordSeconds(1)
        #expect(try text(registry).families["a_total"]?.samples == ["a_total": 1])
    }

    @Test("What is destroyed is gone, and its name is free again")
    func destroyed() throws {
        let registry = MetricsRegistry()
        let counter = Counter(label: "a", factory: registry)
        counter.increment()
        counter.destroy()
        #expect(registry.families.isEmpty)
        Gauge(label: "a", factory: registry).record(3)
        #expect(try text(registry)["a"] == 3)
    }

    @Test("Nothing is lost when many threads count at once, and somebody reads meanwhile")
    func threads() async throws {
        let registry = MetricsRegistry(["t": .init(help: "", bounds: [1])])
        let (counter, timer) = (Counter(label: "a_total", factory: registry), Timer(label: "t", factory: registry))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...4 {
                group.addTask {
                    for _ in 1...1000 {
                        counter.increment()
                        timer.recordSeconds(1)
                    }
                }
            }
            // However it falls between them, it adds up.
            for _ in 1...20 { _ = try text(registry) }
            try await group.waitForAll()
        }
        #expect(try text(registry)["a_total"] == 4000)
        #expect(try text(registry)["t_sum"] == 4000)
    }
}

@Suite("What the box counts")
struct BoxMetricsTests {
    private let registry = MetricsRegistry(BoxMetrics.descriptions)
    private let metrics: BoxMetrics

    init() { metrics = BoxMetrics(registry) }

    private var read: Exposition { get throws { try Exposition(PrometheusText.text(registry.families)) } }

    private func entry(_ id: String) throws -> InboxEntry {
        InboxEntry(
            sequence: 1, notice: PaymentNotice(id: try PaymentID(id), money: try Money("1", .CNY)), receivedAt: .now,
            state: .received)
    }

    @Test("Everything is there before anything has happened")
    func zeros() throws {
        let read = try read
        for state in ["stored", "duplicate", "announced", "expired", "cancelled", "rejected"] {
            #expect(read["soundbox_payments_total{state=\"\(state)\"}"] == 0, "\(state)")
        }
        #expect(read["soundbox_payment_first_frame_seconds_count"] == 0)
        #expect(read["soundbox_broker_reconnects_total"] == 0 && read["soundbox_sessions_lost_total"] == 0)
        #expect(read.families.values.allSatisfy { $0.help != nil })
    }

    @Test("The first frame is measured once, from the arrival, and not where there was none")
    func firstFrame() throws {
        let entry = try entry("A-1")
        metrics.arrived(.stored(entry), at: .monotonicNow - .seconds(20))
        // Nothing was written: the sound card was away.
        metrics.tried(try #require(metrics.firstFrame(of: entry)))
        #expect(try read["soundbox_payment_first_frame_seconds_count"] == 0)
        let frame = try #require(metrics.firstFrame(of: entry))
        frame.isNow()
        metrics.tried(frame)
        metrics.tried(frame)
        #expect(try read["soundbox_payment_first_frame_seconds_count"] == 1)
        #expect(try read[#"soundbox_payment_first_frame_seconds_bucket{le="10"}"#] == 0)
        #expect(try read["soundbox_payment_first_frame_seconds_sum"].map { $0 >= 20 } == true)
        #expect(metrics.firstFrame(of: entry) == nil)
    }

    @Test("What never sounds is not waited for, and what came before the start is not measured")
    func forgotten() throws {
        let entries = try ["A-1", "A-2", "A-3", "A-4"].map(entry)
        for entry in entries { metrics.arrived(.stored(entry), at: .monotonicNow) }
        metrics.cancelled(entries[0].notice.id)
        metrics.expired([entries[1], entries[2]])
        metrics.announced(entries[3])
        for entry in entries { #expect(metrics.firstFrame(of: entry) == nil) }
        let old = try entry("old")
        #expect(metrics.firstFrame(of: old) == nil)
        #expect(try read[#"soundbox_payments_total{state="expired"}"#] == 2)
        #expect(try read[#"soundbox_payments_total{state="cancelled"}"#] == 1)
    }

    @Test("A flood takes no more memory than it may, and what is a day old makes room")
    func bounded() throws {
        let now = Duration.monotonicNow
        for number in 1...BoxMetrics.mostWaiting {
            metrics.arrived(.stored(try entry("A-\(number)")), at: now)
        }
        let (first, late, later) = (try entry("A-1"), try entry("late"), try entry("later"))
        metrics.arrived(.stored(late), at: now)
        #expect(metrics.firstFrame(of: late) == nil)
        metrics.arrived(.stored(later), at: now + .seconds(86_400))
        #expect(metrics.firstFrame(of: later) != nil)
        #expect(metrics.firstFrame(of: first) == nil)
        #expect(try read[#"soundbox_payments_total{state="stored"}"#] == Double(BoxMetrics.mostWaiting + 2))
    }

    @Test("The first connection is none that came back")
    func reconnects() throws {
        metrics.online()
        #expect(try read["soundbox_broker_reconnects_total"] == 0)
        metrics.online()
        #expect(try read["soundbox_broker_reconnects_total"] == 1)
    }

    @Test("Every kind of fault is in the text, and 1 while the box has it")
    func faults() {
        var snapshot = BoxState(volume: Volume(1)).snapshot
        #expect(snapshot.faults.isEmpty)
        snapshot.audioFault = "no sound"
        snapshot.unusableRecordings = 2
        #expect(snapshot.fault(.audio) == "no sound" && snapshot.fault(.speech) == nil)
        #expect(snapshot.faults.count == 2 && snapshot.faults[0] == "no sound")
    }
}
