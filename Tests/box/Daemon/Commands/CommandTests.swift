import SoundboxCore
import Testing

@testable import SoundboxBox

@Suite("Commands")
struct CommandTests {
    @Test(
        "Commands of the commands topic are read",
        arguments: [
            (#"{"id":"c","type":"replay"}"#, Command.play(.last)),
            (#"{"id":"c","type":"reconciled","session_epoch":3}"#, .reconciled(epoch: 3)),
            (#"{"id":"c","type":"totals"}"#, .play(.today)),
            (#"{"id":"c","type":"cancel","command_id":"r"}"#, .cancel(.customMessage(try CommandID("r")))),
            (#"{"id":"c","type":"cancel","payment_id":"A","command_id":null}"#, .cancel(.payment(try PaymentID("A")))),
            (#"{"id":"c","type":"cancel","payment_id":"A","kind":null}"#, .cancel(.payment(try PaymentID("A")))),
            (#"{"id":"c","type":"cancel","payment_id":"A","kind":"payment"}"#, .cancel(.payment(try PaymentID("A")))),
            (#"{"id":"c","type":"cancel","payment_id":"A","kind":"deposit"}"#, .cancel(.payment(try PaymentID("A")))),
            (
                #"{"id":"c","type":"cancel","kind":"refund","payment_id":"A"}"#,
                .cancel(.payment(try PaymentID("A").of(.refund)))
            ),
            (#"{"id":"c","type":"volume","volume":80}"#, .volume(.to(Volume(80)))),
            (#"{"id":"c","type":"volume","volume":"up"}"#, .volume(.up)),
            (#"{"id":"c","type":"volume","volume":"down"}"#, .volume(.down)),
            (#"{"id":"c","type":"volume","volume":"mute"}"#, .volume(.mute)),
            (#"{"id":"c","type":"volume","volume":"unmute","x":[1]}"#, .volume(.unmute)),
        ])
    func good(text: String, command: Command) throws {
        let message = try CommandMessage(decoding: Array(text.utf8), kinds: [try #require(KindName("deposit"))])
        #expect(message == CommandMessage(id: try CommandID("c"), command: command))
    }

    @Test("Id and time are optional to the reader; a cancel names its payment apart from itself")
    func members() throws {
        let cancel = try CommandMessage(
            decoding: Array(#"{"id":null,"at":"1970-01-01T00:00:01Z","type":"cancel","payment_id":"A-1"}"#.utf8))
        #expect(
            cancel
                == CommandMessage(
                    at: Timestamp(millisecondsSince1970: 1000), command: .cancel(.payment(try PaymentID("A-1")))))
    }

    @Test(
        "What is no command is refused with its field",
        arguments: [
            ("", "payload"), ("[]", "payload"), (#"{"type":"replay","type":"replay"}"#, "payload"),
            (#"{"type":"replay","x":"\#(String(repeating: "x", count: 8192))"}"#, "payload"),
            (#"{"type":"explode"}"#, "type"), (#"{"type":3}"#, "type"), ("{}", "type"),
            (#"{"type":"volume"}"#, "volume"), (#"{"type":"volume","volume":101}"#, "volume"),
            (#"{"type":"reconciled"}"#, "session_epoch"),
            (#"{"type":"settings","at":"2026-01-01T00:00:00Z","settings":{}}"#, "id"),
            (#"{"type":"settings","id":"s","settings":{}}"#, "at"),
            (#"{"type":"settings","id":"s","at":"2026-01-01T00:00:00Z"}"#, "settings"),
            (#"{"type":"settings","id":"s","at":"2026-01-01T00:00:00Z","settings":{"x":1}}"#, "settings"),
            (#"{"type":"reconciled","session_epoch":0}"#, "session_epoch"),
            (#"{"type":"volume","volume":"loud"}"#, "volume"), (#"{"type":"cancel"}"#, "payment_id"),
            (#"{"type":"cancel","id":"A-1"}"#, "payment_id"), (#"{"type":"cancel","command_id":7}"#, "command_id"),
            (#"{"type":"cancel","payment_id":"A","command_id":"c"}"#, "payment_id"),
            (#"{"type":"cancel","command_id":""}"#, "command_id"), (#"{"type":"ring","id":"r"}"#, "at"),
            (#"{"type":"ring","id":"r","at":"2026-11-21T10:15:00Z","timeout":1}"#, "timeout"),
            (#"{"type":"say","id":"s","at":"2026-11-21T10:15:00Z","text":3}"#, "text"),
            (#"{"type":"cancel","payment_id":""}"#, "payment_id"),
            (#"{"type":"cancel","payment_id":"A","kind":"refunds"}"#, "kind"),
            (#"{"type":"cancel","payment_id":"A","kind":"Refund"}"#, "kind"),
            (#"{"type":"cancel","payment_id":"A","kind":""}"#, "kind"),
            (#"{"type":"cancel","payment_id":"A","kind":7}"#, "kind"),
            (#"{"id":7,"type":"replay"}"#, "id"), (#"{"id":"","type":"replay"}"#, "id"),
            (#"{"at":7,"type":"replay"}"#, "at"), (#"{"at":"now","type":"replay"}"#, "at"),
        ])
    func bad(text: String, field: String) {
        let error = #expect(throws: CommandError.self) { try CommandMessage(decoding: Array(text.utf8)) }
        #expect(error?.reason.hasPrefix("\(field): ") == true)
    }

    @Test("A refusal carries the command's id as soon as that is readable, and quotes no more than one short line")
    func refusals() throws {
        let text = #"{"id":"c-1","type":"a\nERROR forged \#(String(repeating: "e\u{301}", count: 900))"}"#
        let error = #expect(throws: CommandError.self) { try CommandMessage(decoding: Array(text.utf8)) }
        #expect(try error?.id == CommandID("c-1"))
        #expect(error?.reason.contains("\n") == false && (error?.reason.utf8.count ?? 999) < 200)
    }

    @Test(
        "Up and down stop at the ends", arguments: [(95, VolumeChange.up, 100), (5, .down, 0), (50, .up, 60)])
    func ends(level: Int, change: VolumeChange, expected: Int) {
        #expect(change.applied(to: Volume(level)) == Volume(expected))
    }

    @Test(
        "Steps down stop at the least volume, and never make it louder; a volume of one's own may be softer",
        arguments: [
            (30, VolumeChange.down, 20), (25, .down, 20), (20, .down, 20), (5, .down, 5), (0, .down, 0), (5, .up, 15),
            (50, .to(Volume(0)), 0),
        ])
    func least(level: Int, change: VolumeChange, expected: Int) {
        #expect(change.applied(to: Volume(level), least: Volume(20)) == Volume(expected))
    }
}

@Suite("Which commands are carried out")
struct CommandJudgeTests {
    private static let now = Timestamp(millisecondsSince1970: 1_795_233_600_000)
    private static let replay = Command.play(.last)
    private static let mute = Command.volume(.mute)

    private func judge(
        _ command: Command, id: String? = "c", age: Int64?, signed: Bool = true, retained: Bool = false,
        waited: Bool = false, clock: ClockReading = ClockReading(Self.now)
    ) throws -> CommandArrival {
        let at = age.map { Timestamp(millisecondsSince1970: Self.now.millisecondsSince1970 - $0) }
        return try CommandJudge.judge(
            CommandMessage(id: try id.map { try CommandID($0) }, at: at, command: command),
            .init(isSigned: signed, isRetained: retained, mayHaveWaited: waited, clock: clock))
    }

    /// At fault; `nil` when it is to be carried out.
    private func field(_ arrival: @autoclosure () throws -> CommandArrival) throws -> String? {
        do { _ = try arrival() } catch let error as CommandError {
            return error.reason.split(separator: ":").first.map(String.init)
        }
        return nil
    }

    @Test("A signed command acts within a minute of its time, and once", arguments: [0, 60_000, -60_000] as [Int64])
    func fresh(age: Int64) throws {
        for command in [Self.replay, Self.mute] {
            guard case .once(let id, let expiry) = try judge(command, age: age) else {
                Issue.record("refused at an age of \(age) ms")
                continue
            }
            #expect(id.text == "c")
            // A clock that is set back by hours lets nobody play it back.
            #expect(expiry.duration(since: Self.now) >= CommandJudge.memory)
        }
    }

    @Test("A signed command that is older, from the future or without id or time is refused by field")
    func stale() throws {
        for command in [Self.replay, Self.mute] {
            #expect(try field(try judge(command, age: 60_001)) == "at")
            #expect(try field(try judge(command, age: -60_001)) == "at")
            #expect(try field(try judge(command, age: nil)) == "at")
            #expect(try field(try judge(command, id: nil, age: 0)) == "id")
        }
    }

    /// Shows three hours less than it is.
    private static let unconfirmed = ClockReading(
        Timestamp(millisecondsSince1970: now.millisecondsSince1970 - 10_800_000), .unconfirmed)
    private static let unset = ClockReading(
        Timestamp(millisecondsSince1970: 0), .none,
        proven: Timestamp(millisecondsSince1970: now.millisecondsSince1970 - 86_400_000))

    @Test(
        "An unconfirmed clock judges no live command, whether from before or from its future; one that waited, it does"
    )
    func unconfirmedClock() throws {
        // Ages in seconds; the clock shows three hours less than it is.
        for age in [10_860, 0, 4 * 3_600] as [Int64] {
            for command in [Self.replay, Self.mute] {
                guard case .once(_, let expiry) = try judge(command, age: age * 1000, clock: Self.unconfirmed) else {
                    Issue.record("refused at \(age) s")
                    continue
                }
                #expect(expiry.duration(since: Self.unconfirmed.time) >= CommandJudge.memory)
                let isOfThisMinute = age == 10_860
                #expect(
                    try field(try judge(command, age: age * 1000, waited: true, clock: Self.unconfirmed))
                        == (isOfThisMinute ? nil : "at"))
            }
        }
        // A time server knows better.
        let behind = ClockReading(Self.unconfirmed.time)
        #expect(try field(try judge(Self.mute, age: 0, clock: behind)) == "at")
    }

    @Test("What is older than what is known for certain is refused, live or not, whatever the clock shows")
    func olderThanKnown() throws {
        for trust in [ClockTrust.none, .unconfirmed] {
            let clock = ClockReading(Self.now, trust, earliest: Self.now, proven: Self.unset.proven)
            #expect(try field(try judge(Self.mute, age: 86_460_001, clock: clock)) == "at")
            #expect(try field(try judge(Self.mute, age: 86_460_000, clock: clock)) == nil)
        }
        #expect(try field(try judge(Self.mute, age: 0, waited: true, clock: Self.unset)) == "at")
    }

    @Test("A cancel may be old, and needs neither time nor clock")
    func cancel() throws {
        let id = try PaymentID("A-1")
        for age in [nil, 0, 86_400_000] as [Int64?] {
            for signed in [true, false] {
                guard
                    case .cancel(.payment(id), _, _, false) = try judge(
                        .cancel(.payment(id)), id: nil, age: age, signed: signed, waited: true, clock: Self.unset)
                else {
                    Issue.record("not a cancel of that payment")
                    continue
                }
            }
        }
    }

    @Test("A retained command is never carried out", arguments: [true, false])
    func retained(signed: Bool) throws {
        for command in [Self.replay, Self.mute, .cancel(.payment(try PaymentID("A-1")))] {
            #expect(try field(try judge(command, age: 0, signed: signed, retained: true)) == "retain")
        }
    }

    @Test("Settings may be old; those of the future are refused by a clock that is confirmed, retained ones always")
    func settings() throws {
        func arrival(_ ahead: Int64, _ clock: ClockReading, retained: Bool = false) throws -> CommandArrival {
            let at = Timestamp(millisecondsSince1970: Self.now.millisecondsSince1970 + ahead)
            let settings = try RemoteSettings(id: CommandID("c"), at: at, values: .object([]))
            return try judge(.settings(settings), age: -ahead, retained: retained, waited: true, clock: clock)
        }
        let always = CommandArrival.always(try CommandID("c"))
        #expect(try arrival(-365 * 86_400_000, ClockReading(Self.now)) == always)
        #expect(try field(try arrival(60_001, ClockReading(Self.now))) == "at")
        #expect(try arrival(60_001, Self.unset) == always)
        #expect(try field(try arrival(0, ClockReading(Self.now), retained: true)) == "retain")
    }

    @Test("Unsigned commands with a time are stale after a minute as well, and act once when they have an id")
    func unsigned() throws {
        #expect(try field(try judge(Self.mute, age: 60_001, signed: false)) == "at")
        guard case .once = try judge(Self.mute, age: 60_000, signed: false) else {
            Issue.record("not taken once")
            return
        }
        #expect(try judge(Self.mute, id: nil, age: 0, signed: false) == .always(nil))
        #expect(try judge(Self.mute, age: nil, signed: false, waited: true) == .always(try CommandID("c")))
        #expect(try field(try judge(Self.mute, age: 0, signed: false, waited: true, clock: Self.unconfirmed)) == nil)
    }

    @Test("An unsigned replay without a time is refused while it may have waited at the broker, and carried out later")
    func backlog() throws {
        #expect(try field(try judge(Self.replay, age: nil, signed: false, waited: true)) == "at")
        // A time that cannot be judged is none.
        #expect(try field(try judge(Self.replay, age: 0, signed: false, waited: true, clock: Self.unset)) == "at")
        #expect(try judge(Self.replay, age: nil, signed: false) == .always(try CommandID("c")))
        #expect(try field(try judge(Self.replay, age: 0, signed: false, waited: true)) == nil)
    }

    @Test("A refusal has no number, since no outbox keeps it, and quotes nothing that cannot be printed")
    func refusal() throws {
        let refusal = OutgoingReceipt(
            refusal: CommandError(id: try CommandID("c-1"), reason: "type: \"a\u{0}\"", isUnknown: true)
                .reply(at: Timestamp(millisecondsSince1970: 1)))
        #expect(refusal.topic == .replies)
        let json = try JSONValue(parsing: refusal.payload)
        #expect(json["command"]?.string == "c-1" && json["result"]?.string == "unknown")
        #expect(json["sequence"] == nil && json["epoch"] == nil)
        #expect(json["reason"]?.string?.contains("\u{0}") == false)
    }
}
