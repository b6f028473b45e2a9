import Foundation
import SoundboxControl
import SoundboxCore
import SoundboxSystem
import SoundboxTesting
import TestSupport
import Testing

@testable import SoundboxBox

@Suite("What the box says of itself while it runs", .timeLimit(.minutes(10)))
struct StatusReporterTests {
    /// Keeps what is published.
    private struct Broker: PaymentFeed {
        let statuses = Journal<BoxStatus?>()
        func run(delegate: any PaymentFeedDelegate) async {}
        func stop() {}
        func receiptsAreWaiting() {}
        var timeSinceLastTurn: Duration { .zero }
        func publishStatus(_ payload: [UInt8]) {
            statuses.append((try? JSONValue(parsing: payload)).flatMap(BoxStatus.init(decoding:)))
        }
    }

    private let inbox = TemporaryInbox()
    private let state = BoxState(volume: Volume(80))
    private let broker = Broker()
    private func reporter(
        clock: BoxClock = TestMachine(isSynchronised: true).clock(), _ set: (inout BoxContext) -> Void = { _ in }
    ) throws -> StatusReporter {
        try IdleBox(inbox: inbox, feed: broker, clock: clock) {
            $0.state = state
            set(&$0)
        }.reporter
    }

    @Test("Without a change the status is sent again after the interval")
    func interval() async throws {
        let reporter = try reporter { $0.settings.status.interval = .milliseconds(5) }
        let running = Task { try await reporter.run() }
        defer { running.cancel() }
        for _ in 1...20 { _ = try await broker.statuses.next() }
    }

    @Test("In quiet hours it tells what the volume counts for, and at other times nothing of them")
    func quietHours() async throws {
        let always = try await reporter { $0.settings.quietHours.hours = QuietHours(start: 0, end: 1440, volume: 0) }
            .status()
        #expect(always.quietVolume == 0 && always.json["quiet_volume"]?.integer == 0)
        #expect(BoxStatus(decoding: always.json) == always)
        #expect(always.listing.contains { $0.contains("quiet hours") && $0.contains("nothing is heard") })
        let never = try await reporter { $0.settings.quietHours.hours = QuietHours(start: 0, end: 0, volume: 0) }
            .status()
        #expect(never.quietVolume == nil && never.json["quiet_volume"] == nil)
    }

    @Test(
        "A volume below 20 is a warning, also where quiet hours hold it there; a mute is told by itself",
        arguments: [
            (20, 100, nil), (80, 20, nil), (19, 100, "the volume is 19: payments may not be heard"),
            (0, 100, "the volume is 0: nothing is heard"), (10, 5, "the volume is 10: payments may not be heard"),
            (80, 10, "quiet hours hold the volume at 10 until 07:00"),
            (80, 0, "quiet hours hold the volume at 0 until 07:00"),
        ] as [(Int, Int, String?)])
    func tooSoft(volume: Int, quietVolume: Int, warning: String?) async throws {
        state.update { $0.volume = Volume(volume) }
        let hours = QuietHours(start: 22 * 60, end: 7 * 60, volume: quietVolume)
        let machine = TestMachine(isSynchronised: true)
        let folder = try TemporaryFolder()
        try StateFile.quietHours(in: folder.path).write(.hours(hours))
        let reporter = try reporter(clock: machine.clock()) { $0.stateDirectory = folder.path }
        // At 04:00.
        let status = await reporter.status()
        #expect(status.warnings == [warning].compactMap(\.self) && status.faults == [])
        machine.pass(.seconds(12 * 3600))
        #expect(await reporter.status().warnings == (volume < 20 ? [warning].compactMap(\.self) : []))
        state.update { $0.isMuted = true }
        #expect(await reporter.status().warnings == [])
    }

    @Test("Quiet hours that the shop has set are told, and so is that it wants none")
    func shopQuietHours() async throws {
        func status(_ own: QuietChange?) async throws -> BoxStatus {
            let folder = try TemporaryFolder()
            if let own { try StateFile.quietHours(in: folder.path).write(own) }
            return try await reporter { $0.stateDirectory = folder.path }.status()
        }
        let set = try await status(.hours(QuietHours(start: 22 * 60, end: 7 * 60, volume: 5)))
        #expect(set.json["shop_quiet_hours"]?["from"]?.string == "22:00")
        #expect(set.listing.contains { $0.contains("quiet hours from 22:00 to 07:00") })
        let off = try await status(.off)
        #expect(off.json["shop_quiet_hours"] == .null && BoxStatus(decoding: off.json) == off)
        #expect(try await status(nil).json["shop_quiet_hours"] == nil)
    }

    @Test("The figures are these, each with its help and its kind")
    func figures() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.file("thermal_zone0"), withIntermediateDirectories: true)
        for (name, text) in [("type", "cpu"), ("temp", "41000")] { try folder.write(text, to: "thermal_zone0/\(name)") }
        _ = try inbox.store([.notice(PaymentNotice(id: try PaymentID("A-1"), money: try Money("1", .CNY)))], at: .now)
        state.update {
            $0.connection = .subscribed
            $0.isMuted = true
            $0.xruns = 4
            $0.panelFault = "no light"
        }
        let families = try await reporter {
            $0.stateDirectory = folder.path
            $0.thermalFolder = folder.path
        }.allMetrics()
        #expect(families.map(\.name).sorted() == (try Self.documentedMetrics()).sorted())
        #expect(
            families.map { "\($0.name) \($0.kind.rawValue): \($0.help)" }.sorted() == [
                "soundbox_board_temperature_celsius gauge: What the board's thermal zones measure.",
                "soundbox_broker_reconnects_total counter: Connections to the broker after the first one since the start.",
                "soundbox_build_info gauge: Always 1; which version of the program runs.",
                "soundbox_clock_confirmed gauge: Whether the kernel follows a time server.",
                "soundbox_clock_state gauge: 1 for the sign by which the box knows the time, 0 for the others.",
                "soundbox_fault gauge: 1 for each kind of fault that the box has, 0 for the others.",
                "soundbox_muted gauge: Whether somebody has muted the box.",
                "soundbox_notices_ignored_total counter: Messages that a condition of the mapping has ignored since the start.",
                "soundbox_online gauge: Whether payments can arrive.",
                "soundbox_payment_first_frame_seconds histogram: Time from a notice's arrival at the box to its first frame at the sound device.",
                "soundbox_payments_total counter: What became of notices, of every kind, since the start.",
                "soundbox_payments_waiting gauge: Notices that are stored and not yet spoken to their end.",
                "soundbox_receipts_waiting gauge: Receipts that the broker has not confirmed.",
                "soundbox_sessions_lost_total counter: Sessions that the broker should have kept and has not, since the start.",
                "soundbox_state_directory_free_bytes gauge: Room on the disk of the state directory.",
                "soundbox_uptime_seconds gauge: Time since the start, by a clock that is never set.",
                "soundbox_volume_ratio gauge: The volume that is set, 0 to 1, muted or not.",
                "soundbox_warnings gauge: How many things somebody should look at although the box does its work.",
                "soundbox_xruns_total counter: How often the sound card ran dry in the middle of an announcement.",
            ])
        let read = try Exposition(PrometheusText.text(families))
        #expect(read[#"soundbox_build_info{version="\#(SoundboxVersion.current)"}"#] == 1)
        #expect(read["soundbox_online"] == 1 && read["soundbox_muted"] == 1 && read["soundbox_volume_ratio"] == 0.8)
        #expect(read["soundbox_payments_waiting"] == 1 && read["soundbox_receipts_waiting"] == 1)
        #expect(read["soundbox_xruns_total"] == 4 && read["soundbox_warnings"] == 0)
        #expect(read["soundbox_clock_confirmed"] == 1 && read[#"soundbox_clock_state{state="synchronised"}"#] == 1)
        #expect(read.families["soundbox_clock_state"]?.samples.values.reduce(0, +) == 1)
        #expect(read[#"soundbox_fault{kind="panel"}"#] == 1 && read[#"soundbox_fault{kind="audio"}"#] == 0)
        #expect(try #require(read["soundbox_state_directory_free_bytes"]) > 0)
        #expect(read[#"soundbox_board_temperature_celsius{zone="thermal_zone0",type="cpu"}"#] == 41)
        inbox.fail(with: .failed(path: "memory", reason: "disk full"))
        let unknown = try await reporter().allMetrics().map(\.name)
        #expect(!unknown.contains("soundbox_payments_waiting") && unknown.contains("soundbox_uptime_seconds"))
    }

    @Test("It tells who it is, what it does and how much waits")
    func everything() async throws {
        _ = try inbox.store([.notice(PaymentNotice(id: try PaymentID("A-1"), money: try Money("1", .CNY)))], at: .now)
        let device = DeviceStatus(
            format: PCMFormat(sampleRate: 48_000, channelCount: 1, encoding: .int16, framesPerPeriod: 960))
        state.update {
            $0.connection = .subscribed
            $0.isMuted = true
            $0.announcement = 7
            $0.device = device
            $0.xruns = 2
        }
        let status = try await reporter().status()
        var expected = BoxStatus(isOnline: true, version: SoundboxVersion.current, voice: "zh-CN")
        expected.connection = "online"
        expected.time = status.time
        expected.deviceID = "box-01"
        expected.broker = "mqtt://h:1883"
        expected.audioDevice = "default"
        expected.sound = device
        expected.volume = 80
        expected.isMuted = true
        expected.isAnnouncing = true
        expected.xruns = 2
        expected.clock = .synchronised
        expected.uptime = status.uptime
        expected.counts = InboxCounts(waiting: 1, announced: 0, receiptsWaiting: 1)
        expected.faults = []
        expected.warnings = []
        #expect(status == expected)
    }

    @Test("With audio.device: auto it tells the card that plays, and of one that is gone")
    func chosenCard() async throws {
        let reporter = try reporter()
        state.update { $0.choose("hw:CARD=USB", inPlaceOf: nil) }
        let first = await reporter.status()
        #expect(first.audioDevice == "hw:CARD=USB" && first.warnings == [])
        state.update { $0.choose("hw:CARD=Headphones", inPlaceOf: "hw:CARD=USB") }
        let second = await reporter.status()
        #expect(second.audioDevice == "hw:CARD=Headphones")
        #expect(second.warnings == ["the sound card hw:CARD=USB is gone: playing on hw:CARD=Headphones"])
    }

    @Test("A box that is cut off says why, and when it tries again")
    func offline() async throws {
        state.update { $0.connection = .disconnected(reason: "no route to host", retryIn: .milliseconds(3960)) }
        let status = try await reporter().status()
        #expect(!status.isOnline && status.connection == "offline: no route to host; next attempt within 4.0 s")
    }

    @Test("Without its inbox a box tells everything else, and the fault")
    func noCounts() async throws {
        inbox.fail(with: .failed(path: "memory", reason: "disk full"))
        state.update { $0.storingFault = "disk full" }
        let status = try await reporter().status()
        #expect(status.counts == nil && status.faults == ["disk full"] && status.volume == 80)
    }

    @Test("While it rings, the status tells which ring it is, and how long there is to answer")
    func ring() async throws {
        let id = try CommandID("r-1")
        state.update { $0.ring = .init(id: id, text: "", deadline: .monotonicNow + .seconds(600)) }
        let ring = try #require(try await reporter().status().ring)
        #expect(ring.id == id && (1...600).contains(ring.secondsLeft))
        state.update { $0.ring?.deadline = .zero }
        #expect(try await reporter().status().ring == RingStatus(id: id, secondsLeft: 0))
        state.update { $0.ring = nil }
        #expect(try await reporter().status().json["ring"] == .null)
    }

    @Test("Seconds that have begun count, so that a ring with time left has some")
    func seconds() throws {
        let ring = BoxState.Ring(id: try CommandID("r-1"), text: "", deadline: .milliseconds(5001))
        #expect([.zero, 1, 4001, 5001, 6000].map { ring.secondsLeft(at: .milliseconds($0)) } == [6, 5, 1, 0, 0])
    }

    @Test("Every answer looks at the clock anew, and a clock that cannot be right is a fault")
    func clock() async throws {
        let clock = BoxClock(newestKnown: nil) {
            BoxClock.Signs(now: BoxClock.end, isSynchronised: true, offset: .zero)
        }
        let status = try await reporter(clock: clock).status()
        #expect(status.faults?.first?.contains("the clock shows the year") == true)
        #expect(status.clock == .wrong)
    }

    @Test("The broker is told at the start and after every change")
    func published() async throws {
        let reporter = try reporter()
        try await withThrowingTaskGroup { group in
            group.addTask { try await reporter.run() }
            #expect(try await broker.statuses.next { $0 }.volume == 80)
            state.update { $0.volume = Volume(20) }
            #expect(try await broker.statuses.next { $0?.volume == 20 ? $0 : nil }.isMuted == false)
            state.update { $0.isMuted = true }
            _ = try await broker.statuses.next { $0?.isMuted == true ? $0 : nil }
            group.cancelAll()
        }
    }

    @Test("What changes in the inbox alone is told as well, and what has not changed is not")
    func inbox() async throws {
        let reporter = try reporter()
        try await withThrowingTaskGroup { group in
            group.addTask { try await reporter.run() }
            #expect(try await broker.statuses.next { $0 }.counts?.waiting == 0)
            state.inboxChanged()
            _ = try inbox.store(
                [.notice(PaymentNotice(id: try PaymentID("A-1"), money: try Money("1", .CNY)))], at: .now)
            state.inboxChanged()
            #expect(try await broker.statuses.next { $0 }.counts?.waiting == 1)
            group.cancelAll()
        }
        #expect(broker.statuses.entries.count == 2)
    }

    @Test("It tells where it is connected, what the broker has kept, and what may be lost")
    func session() async throws {
        let began = try #require(Timestamp(rfc3339: "2026-11-21T02:15:00Z"))
        state.update {
            $0.broker = "mqtts://b.example:8883"
            $0.session = SessionStatus(isResumed: false, epoch: 3, began: began)
            $0.sessionFault = "lost"
        }
        let status = try await reporter().status()
        #expect(status.broker == "mqtts://b.example:8883" && status.faults == ["lost"])
        let json = status.json
        #expect(json["session"] == .string("new") && json["session_epoch"] == .integer(3))
        #expect(json["session_since"] == .string("2026-11-21T02:15:00.000Z"))
        #expect(BoxStatus(decoding: json)?.session == status.session)
        #expect(status.listing.contains { $0.hasPrefix("session:") && $0.contains("new, the box's number 3") })
    }

    @Test("Notices that were refused are told for 24 hours, and no longer although nothing else happens")
    func refused() async throws {
        let notice = RefusedNotices.Notice(id: try PaymentID("order-1"), reason: "amount: wrong", at: .now)
        let now = Duration.monotonicNow
        state.update { _ = $0.refusals.add([notice], at: now - .days(1)) }
        state.update { _ = $0.refusals.add([notice, notice], at: now - .seconds(23 * 3600)) }
        let status = try await reporter().status()
        #expect(status.noticesRefused == RefusedNotices(count: 2, last: notice))
        #expect(
            status.warnings == [
                "2 notices of the last 24 hours were not announced; the last: order-1: amount: wrong"
            ])
        #expect(status.faults == [])
        state.update {
            $0.refusals = RefusalRecord()
            _ = $0.refusals.add([notice], at: now - .days(1))
        }
        let later = try await reporter().status()
        #expect(later.noticesRefused == nil && later.warnings == [])
    }

    @Test("The last will says no more than that the box is gone")
    func lastWill() {
        #expect(
            StatusReporter.lastWill(
                StatusReporter.Identity(
                    deviceID: "box-01", broker: "mqtt://h:1883", voice: "zh-CN", audioDevice: "default")
            ).json
                == .object([
                    ("state", .string("offline")), ("version", .string(SoundboxVersion.current)),
                    ("voice", .string("zh-CN")),
                ]))
    }

    /// Those of the table in docs/operations.md, which has some rows with two.
    private static func documentedMetrics() throws -> [String] {
        let file = #filePath.replacing(/\/Tests\/.*$/, with: "/docs/operations.md")
        return try SmallFile.read(file).split(separator: "\n").filter { $0.hasPrefix("| `soundbox_") }.flatMap { row in
            row.dropFirst().prefix { $0 != "|" }.matches(of: /`(soundbox_\w+)/).map { String($0.1) }
        }
    }
}
