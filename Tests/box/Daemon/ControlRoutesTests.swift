import Foundation
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxTesting
import SoundboxYAML
import Synchronization
import TestSupport
import Testing

@testable import SoundboxBox

@Suite("What a box answers on its control socket", .timeLimit(.minutes(10)))
struct ControlRoutesTests {
    private let inbox = TemporaryInbox()

    private func box(_ set: (inout BoxContext) -> Void = { _ in }) throws -> IdleBox { try IdleBox(inbox: inbox, set) }

    private static func page() throws -> ShopPageSettings? {
        try ShopPageSettings(reading: YAMLValue(parsing: "{enabled: true}", file: "soundbox.yaml"))
    }

    private func arrive(_ ids: String...) throws {
        let arrivals = try ids.map { Arrival.notice(PaymentNotice(id: try PaymentID($0), money: try Money("1", .CNY))) }
        _ = try inbox.store(arrivals, at: .now)
    }

    @Test("Why the page is not served stands in the status until it is, in one line; its settings are told")
    func page() async throws {
        let box = try box { [page = try Self.page()] in $0.settings.page = page }
        _ = try await box.ask("PUT /page", #"{"problem": "/c\u000a: gone"}"#)
        #expect(box.state.snapshot.pageProblem == "/c\\u{a}: gone")
        for body in ["", "{}", #"{"problem": 1}"#, #"{"problem": "\#(String(repeating: "x", count: 1001))"}"#] {
            #expect(try await box.refusal("PUT /page", body) == .invalid, "\(body)")
        }
        #expect(box.state.snapshot.pageProblem != nil)
        #expect(try await box.ask("PUT /page", #"{"problem": null}"#)["port"] == .integer(80))
        #expect(box.state.snapshot.pageProblem == nil)
        #expect(try await box.ask("GET /page")["port"] == .integer(80))
        #expect(try await self.box().ask("GET /page")["enabled"] == .bool(false))
    }

    @Test("Without a number the last payment is repeated, and with one that notice, if it has been told")
    func replay() async throws {
        let box = try box()
        try arrive("A-1", "A-2", "A-3")
        let entries = try inbox.waiting(limit: 3)
        try inbox.markAnnounced(entries[0], as: .aloud, at: .now)
        _ = try inbox.apply([.cancel(.payment(entries[1].notice.id), expiry: BoxClock.end)], at: ClockReading(.now))
        _ = try await box.ask("POST /replay")
        #expect(box.requests.with { $0.request } == .last)
        for (body, cause) in [
            (#"{"sequence": 404}"#, .unknown), (#"{"sequence": 9223372036854775807}"#, .unknown),
            (#"{"sequence": 2}"#, .untold), (#"{"sequence": 3}"#, .untold), (#"{"sequence": 0}"#, .invalid),
            (#"{"sequence": -1}"#, .invalid), (#"{"sequence": "7"}"#, .invalid),
            (#"{"sequence": 99999999999999999999}"#, .invalid), ("{", .invalid), ("[]", .invalid), ("null", .invalid),
            (#"{"sequnce": 1}"#, .invalid),
        ] as [(String, ControlRefusal.Cause)] {
            #expect(try await box.refusal("POST /replay", body) == cause, "\(body)")
        }
        #expect(box.requests.with { $0.request } == .last)
        _ = try await box.ask("POST /replay", #"{"sequence": 1}"#)
        let told = try #require(try inbox.lastAnnounced())
        #expect(box.requests.with { $0.request } == .notice(told) && told.sequence == 1)
        inbox.fail(with: .failed(path: "x", reason: "no disk"))
        #expect(try await box.refusal("POST /replay", #"{"sequence": 1}"#) == .fault)
    }

    @Test("A code of six digits is said, and nothing else; the next one not at once")
    func code() async throws {
        let box = try box()
        for body in ["", "{}", #"{"code": "12345"}"#, #"{"code": 123456}"#, #"{"code": "12345x"}"#] {
            #expect(try await box.refusal("POST /sign-in-code", body) == .invalid, "\(body)")
        }
        let code = #"{"code": "012345"}"#
        _ = try await box.ask("POST /sign-in-code", code)
        #expect(box.requests.with { $0.code?.code.text } == "012345")
        // A machine that is busy must not let the pause between two codes pass here.
        box.commands.lastCode.time.withLock { $0 = .now + .seconds(3600) }
        #expect(try await box.refusal("POST /sign-in-code", code) == .busy)
    }

    @Test("No code is said that nobody would hear, or not for long")
    func noCode() async throws {
        let code = #"{"code": "012345"}"#
        let quiet = try box { $0.settings.quietHours.hours = QuietHours(start: 0, end: 1440, volume: 50) }
        #expect(try await quiet.refusal("POST /sign-in-code", code) == .quiet)
        let box = try box()
        _ = try await box.ask("PUT /volume", #"{"volume": "mute"}"#)
        #expect(try await box.refusal("POST /sign-in-code", code) == .muted)
        _ = try await box.ask("PUT /volume", #"{"volume": 0}"#)
        #expect(try await box.refusal("POST /sign-in-code", code) == .muted)
        _ = try await box.ask("PUT /volume", #"{"volume": 50}"#)
        box.state.update { $0.audioFault = "no sound" }
        #expect(try await box.refusal("POST /sign-in-code", code) == .fault)
        box.state.update { $0.audioFault = nil }
        try arrive("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11")
        #expect(try await box.refusal("POST /sign-in-code", code) == .busy)
        #expect(box.requests.with { $0.code } == nil)
    }

    @Test("Quiet hours are told and set, and nonsense changes nothing; what the disk refuses is a fault")
    func quietHours() async throws {
        let disk = try TemporaryFolder()
        let folder = disk.file("state")
        try SmallFile.createFolders(folder)
        let box = try box { $0.stateDirectory = folder }
        #expect(try await box.ask("GET /quiet-hours")["origin"]?.string == "setup")
        let set = #"{"from": "22:00", "to": "07:30", "volume": 20}"#
        let hours = try JSONValue(parsing: Array(#"{"quiet_hours": \#(set), "origin": "shop"}"#.utf8))
        let version = box.state.version
        #expect(try await box.ask("PUT /quiet-hours", set) == hours)
        #expect(box.state.version > version && StateFile.quietHours(in: folder).read() != nil)
        for body in [
            "", "{}", "[]", #"{"off": false}"#, #"{"from": "22:00", "to": "22:00", "volume": 20}"#,
            #"{"from": "24:00", "to": "07:30", "volume": 20}"#, #"{"from": "22:00", "to": "7:30", "volume": 20}"#,
            #"{"from": "22:00", "to": "07:30", "volume": 101}"#,
            #"{"from": "22:00", "to": "07:30", "volume": 20, "off": true}"#,
        ] {
            #expect(try await box.refusal("PUT /quiet-hours", body) == .invalid, "\(body)")
        }
        try FileManager.default.removeItem(atPath: folder)
        #expect(try await box.refusal("PUT /quiet-hours", #"{"off": true}"#) == .fault)
        #expect(try await box.ask("GET /quiet-hours") == hours)
    }

    @Test("Events tell the version, the newest notice and the status; a trial says that the box is ready")
    func events() async throws {
        let box = try box()
        try arrive("A-1", "A-2")
        let events = try await box.ask("GET /events")
        #expect(events["version"]?.integer == box.state.version && events["last_sequence"]?.integer == 2)
        #expect(events["status"]?["queued"]?.integer == 2)
        for after in ["-1", "x", "99999999999999999999"] {
            #expect(try await box.refusal("GET /events?after=\(after)") == .invalid)
        }
        _ = try await box.ask("POST /trial")
        #expect(box.requests.with { $0.prompts.popFirst() } == .greeting)
    }

    @Test("The volume is told, and changed by a number or by a word; nonsense changes nothing")
    func volume() async throws {
        let box = try box()
        func volume(_ level: Int, isMuted: Bool = false) -> JSONValue {
            .object([("volume", .integer(level)), ("muted", .bool(isMuted))])
        }
        #expect(try await box.ask("GET /volume") == volume(80))
        #expect(try await box.ask("PUT /volume", #"{"volume": 45}"#) == volume(45))
        #expect(try await box.ask("PUT /volume", #"{"volume": "mute"}"#) == volume(45, isMuted: true))
        for body in ["", "{}", "[]", "40", #"{"volume": 101}"#, #"{"volume": "40"}"#, #"{"volume": 1, "volume": 2}"#] {
            #expect(try await box.refusal("PUT /volume", body) == .invalid, "\(body)")
        }
        #expect(try await box.ask("GET /volume") == volume(45, isMuted: true))
        #expect(box.state.snapshot.volume == Volume(45) && box.state.snapshot.isMuted)
    }

    @Test("The history is of what was asked for; what is not understood, and a day that nobody knows, are refused")
    func history() async throws {
        let neverSet = BoxClock(newestKnown: nil) {
            BoxClock.Signs(now: Timestamp(millisecondsSince1970: 0), isSynchronised: false, offset: .zero)
        }
        let box = try IdleBox(inbox: inbox, clock: neverSet)
        try arrive("A-1", "A-2", "A-3")
        #expect(try await box.ask("GET /history?limit=2")["entries"]?.elements?.count == 2)
        #expect(try await box.ask("GET /totals?day=2026-11-22")["from"]?.string == "2026-11-22T00:00:00.000Z")
        for route in ["GET /history", "GET /totals"] {
            #expect(try await box.refusal("\(route)?colour=red") == .invalid)
            #expect(try await box.refusal("\(route)?day=today") == .undated)
        }
    }

    @Test("A phone may use what the shop's page offers; never what signs a phone in or says how the page is served")
    func phones() async throws {
        let box = try box { [page = try Self.page()] in $0.settings.page = page }
        let told = try await box.ask("GET /page")["routes"]?.elements?.compactMap(\.string) ?? []
        #expect(
            told.sorted() == [
                "GET /history", "GET /quiet-hours", "POST /replay", "POST /trial", "PUT /quiet-hours", "PUT /volume",
            ])
    }
}
