import SoundboxControl
import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxBox

@Suite("What the box counts")
struct BoxMetricsTests {
    private let metrics = BoxMetrics()

    private var read: Exposition { get throws { try Exposition(PrometheusText.text(metrics.metricFamilies)) } }

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
