import SoundboxCore
import Testing

@Suite("What a box tells of itself")
struct BoxStatusTests {
    private static let full: BoxStatus = {
        var status = BoxStatus(isOnline: true, version: "1.2.3", voice: "zh-CN, en")
        status.connection = "online"
        status.deviceID = "box-01"
        status.broker = "mqtts://broker.example:8883"
        status.audioDevice = "default"
        status.sound = DeviceStatus(
            format: PCMFormat(sampleRate: 48_000, channelCount: 1, encoding: .int16, framesPerPeriod: 960),
            bufferFrames: 4800)
        status.volume = 80
        status.isMuted = false
        status.isAnnouncing = true
        status.ring = (try? CommandID("r-1")).map { RingStatus(id: $0, secondsLeft: 12) }
        status.xruns = 2
        status.clock = .synchronised
        status.uptime = .seconds(90_061)
        status.counts = InboxCounts(waiting: 3, announced: 312, receiptsWaiting: 1)
        status.faults = []
        status.warnings = ["a look\u{1B}"]
        return status
    }()

    /// A box whose card and inbox are away.
    private static let poor: BoxStatus = {
        var status = full
        status.isOnline = false
        status.connection = "offline: no route to host; next attempt within 4.0 seconds"
        status.sound = nil
        status.ring = nil
        status.isMuted = true
        status.counts = nil
        status.faults = ["no sound", "disk full\u{1B}[2J"]
        return status
    }()

    /// A box that its setup keeps from its work.
    private static let faulted: BoxStatus = {
        var status = BoxStatus(isOnline: false, version: "1.2.3", voice: nil)
        status.connection = "not in service: no voice"
        status.audioDevice = "default"
        status.isAnnouncing = false
        status.faults = ["no voice"]
        return status
    }()

    private static let refusing: BoxStatus = {
        var status = full
        status.noticesRefused = refused(3, id: "order-1")
        return status
    }()

    private static func refused(_ count: Int, id: String?) -> RefusedNotices {
        RefusedNotices(
            count: count,
            last: .init(
                id: id.flatMap { try? PaymentID($0) }, reason: "amount: must be greater than zero",
                at: Timestamp(millisecondsSince1970: 1_795_233_600_000)))
    }

    private static let lastWill = BoxStatus.lastWill(version: "1.2.3", voice: "zh-CN")

    @Test("The members have the names and the order that readers know (docs/integration.md)")
    func wire() {
        #expect(
            Self.full.json.text
                == #"{"state":"online","connection":"online","device":"box-01","broker":"mqtts://broker.example:8883","#
                + #""version":"1.2.3","voice":"zh-CN, en","audio":"default","sound":{"rate":48000,"channels":1,"#
                + #""encoding":"int16","period_frames":960,"buffer_frames":4800},"volume":80,"#
                + #""muted":false,"announcing":true,"ring":{"id":"r-1","seconds_left":12},"xruns":2,"clock":"synchronised","#
                + #""uptime_s":90061,"queued":3,"announced":312,"#
                + #""receipts_waiting":1,"faults":[],"warnings":["a look\u001b"]}"#)
        #expect(Self.lastWill.json.text == #"{"state":"offline","version":"1.2.3","voice":"zh-CN"}"#)
        #expect(
            Self.faulted.json.text
                == #"{"state":"offline","connection":"not in service: no voice","version":"1.2.3","voice":null,"#
                + #""audio":"default","sound":null,"announcing":false,"ring":null,"faults":["no voice"]}"#)
    }

    @Test("What is written is read back", arguments: [full, poor, faulted, refusing, lastWill])
    func roundTrip(status: BoxStatus) {
        #expect(BoxStatus(decoding: status.json) == status)
    }

    @Test(
        "Notices that were refused are told with their number and the last one, in JSON and in words",
        arguments: [
            (3, "order-1", "\"order-1\"", "3 notices of the last 24 hours were not announced; the last: order-1: "),
            (1, nil, "null", "1 notice of the last 24 hours was not announced; the last: "),
        ])
    func refused(count: Int, id: String?, idInJSON: String, words: String) throws {
        let refused = Self.refused(count, id: id)
        #expect(
            refused.json.text
                == #"{"count":\#(count),"last":{"id":\#(idInJSON),"reason":"amount: must be greater than zero","#
                + #""at":"2026-11-21T04:00:00.000Z"}}"#)
        #expect(RefusedNotices(decoding: refused.json) == refused)
        #expect(refused.warning == words + "amount: must be greater than zero")
        #expect(Self.full.json["notices_refused"] == nil)
        #expect(
            Self.refusing.listing.contains {
                $0.hasPrefix("notices refused:") && $0.contains("3 in 24 hours") && $0.contains("order-1: amount: ")
            })
    }

    @Test("What another version leaves out, adds or means otherwise is unknown, and the rest is read")
    func tolerance() throws {
        let text = #"{"state":"online","volume":"loud","sound":{"rate":1},"mood":[1],"queued":1,"faults":["x",7]}"#
        let status = try #require(BoxStatus(decoding: JSONValue(parsing: Array(text.utf8))))
        var expected = BoxStatus(isOnline: true, version: "unknown", voice: nil)
        expected.faults = ["x"]
        #expect(status == expected)
        #expect(BoxStatus(decoding: .object([("version", .string("1"))])) == nil)
        #expect(BoxStatus(decoding: .null) == nil)
    }

    @Test("For people it is a listing, with times in words")
    func listing() {
        #expect(
            Self.full.listing == [
                "connection:           online", "device:               box-01",
                "broker:               mqtts://broker.example:8883", "version:              1.2.3",
                "voice:                zh-CN, en", "audio device:         default",
                "sound card:           48000 Hz, 1 channel, int16, periods of 960 frames (20.0 ms) of 4800 frames (100.0 ms)"
                    + " of buffer",
                "volume:               80", "muted:                no", "announcing:           yes",
                "ringing:              r-1, for 12 s", "sound broke off:      2 times",
                "clock:                synchronised, says the kernel", "running for:          1 day 1 hour",
                "waiting:              3", "announced:            312", "receipts to be sent:  1",
                "faults:               none", "warnings:             a look\\u{1b}",
            ])
    }

    @Test("Each fault has a line, what is away is told in words, and nothing drives the terminal")
    func faults() {
        let listing = Self.poor.listing
        #expect(
            listing.suffix(4) == [
                "running for:      1 day 1 hour", "faults:           no sound",
                "                  disk full\\u{1b}[2J", "warnings:         a look\\u{1b}",
            ])
        #expect(listing.contains("sound card:       not open"))
        #expect(!listing.contains { $0.hasPrefix("announced") })
    }

    @Test("A listing has neither JSON nor null in it", arguments: [full, poor, faulted, refusing, lastWill])
    func plain(status: BoxStatus) {
        for line in status.listing {
            #expect(line.split(separator: ":", maxSplits: 1).count == 2 || line.hasPrefix(" "), "\(line)")
            #expect(!line.contains("null") && !line.contains("{\""), "\(line)")
        }
    }

    @Test(
        "Times are told in their two largest units",
        arguments: [
            (0, "0 seconds"), (1, "1 second"), (59, "59 seconds"), (60, "1 minute"), (61, "1 minute 1 second"),
            (3600, "1 hour"), (3605, "1 hour"), (7500, "2 hours 5 minutes"), (86_400, "1 day"),
            (273_600, "3 days 4 hours"), (-5, "0 seconds"),
        ])
    func durations(seconds: Int, words: String) {
        var status = Self.lastWill
        status.uptime = .seconds(seconds)
        #expect(status.listing.last?.hasSuffix("  \(words)") == true)
    }
}
