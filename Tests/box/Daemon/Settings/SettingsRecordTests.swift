import SoundboxBox
import SoundboxCore
import Testing

@Suite("Settings from afar")
struct SettingsRecordTests {
    private func settings(_ id: String, at seconds: Int64, _ values: String) throws -> RemoteSettings {
        try RemoteSettings(
            id: CommandID(id), at: Timestamp(millisecondsSince1970: seconds * 1000),
            values: JSONValue(parsing: Array(values.utf8)))
    }

    private static let short = #"{"announce":{"expire_after":"5m"}}"#
    private static let long = #"{"announce":{"expire_after":"1h"}}"#

    /// As it is after a restart, or a power cut.
    private func read(_ record: SettingsRecord) throws -> SettingsRecord {
        try #require(SettingsRecord(decoding: JSONValue(parsing: record.json.bytes)))
    }

    @Test(
        "A key that decides who is believed, or that is none, cannot be set from afar",
        arguments: [
            (#"{"broker":{"url":"mqtt://a"}}"#, #""broker""#),
            (#"{"authenticity":{"required":false}}"#, #""authenticity""#),
            (#"{"announce":{"currency":"USD"}}"#, #""currency""#), (#"{"audio":{"device":"null"}}"#, #""device""#),
            ("[]", "settings: expected an object"),
        ])
    func foreignKeys(values: String, named: String) throws {
        #expect {
            _ = try settings("s", at: 1, values)
        } throws: { error in
            "\(error)".hasPrefix("settings") && "\(error)".contains(named)
        }
    }

    @Test(
        "A group of keys that is no object is refused as that",
        arguments: [
            (#"{"audio":7}"#, "audio"), (#"{"voice":null}"#, "voice"), (#"{"announce":[]}"#, "announce"),
        ])
    func noObject(values: String, group: String) {
        #expect {
            _ = try settings("s", at: 1, values)
        } throws: { error in
            "\(error)".hasPrefix("settings.\(group): expected an object ")
        }
    }

    @Test(
        "A volume that would not act is refused, and not told to have",
        arguments: [#""61""#, "61.5", "-1", "101", "true"])
    func volume(value: String) {
        #expect(throws: CommandError(reason: "settings.audio.volume: expected a whole number from 0 to 100")) {
            try settings("s", at: 1, #"{"audio":{"volume":\#(value)}}"#)
        }
    }

    @Test("The volume is a whole number, or left as it is", arguments: [("0", 0), ("100", 100), ("null", nil)])
    func goodVolume(value: String, level: Int?) throws {
        #expect(try settings("s", at: 1, #"{"audio":{"volume":\#(value)}}"#).volume?.level == level)
    }

    /// What becomes of settings that come; `nil` for those that came before.
    private func apply(
        _ settings: RemoteSettings, _ record: inout SettingsRecord, now: Timestamp? = nil
    ) throws -> SettingsStatus.Result? {
        try record.apply(settings, now: now) ? record.result : nil
    }

    @Test("Those in force that cannot be used any more are told as failed, and stay written down")
    func unusable() throws {
        var record = SettingsRecord(owner: "M/b")
        _ = try record.apply(settings("s-1", at: 1, Self.short))
        record.willStart()
        record.cameOnline()
        let written = record.json
        record.fail("the voice is gone")
        #expect(record.status?.result == .failed && record.status?.reason == "the voice is gone")
        #expect(record.current == nil)
        let later = try #require(SettingsRecord(decoding: written))
        #expect(later.status?.result == .applied && later.current?.id.text == "s-1")
    }

    @Test("New ones are on trial, and in force once the box was online with them; both outlast a restart")
    func trial() throws {
        var record = SettingsRecord(owner: "M/b")
        let first = try settings("s-1", at: 1, Self.short)
        #expect(try apply(first, &record) == .trial)
        record = try read(record)
        record.willStart()
        #expect(record.current == first && record.inForce == nil && record.status?.result == .trial)
        record.cameOnline()
        record = try read(record)
        #expect(record.current == first && record.inForce == first && record.status?.result == .applied)
    }

    @Test("Those that are given up leave the ones before them in force, and say why")
    func failed() throws {
        var record = SettingsRecord(owner: "M/b")
        let (first, second) = (try settings("s-1", at: 1, Self.short), try settings("s-2", at: 2, Self.long))
        _ = try record.apply(first)
        record.cameOnline()
        #expect(try apply(second, &record) == .trial)
        record.fail("not online")
        // Those before them cannot be used either.
        record.fail("the voice is gone")
        record = try read(record)
        #expect(record.current == first && record.reason == "not online")
        #expect(record.status?.id.text == "s-2" && record.status?.warning?.contains("not online") == true)
        // Whoever wants them all the same sends them anew.
        #expect(throws: CommandError(reason: "settings: not in force: not online")) { try record.apply(second) }
        let third = try settings("s-3", at: 3, Self.long)
        #expect(try apply(third, &record) == .trial)
        #expect(record.reason == nil && record.current == third && record.inForce == first)
        // What is in force already, with another volume, needs no trial.
        record.fail("not online")
        #expect(try apply(settings("s-4", at: 4, Self.short), &record) == .applied)
        #expect(record.inForce?.id.text == "s-4")
    }

    @Test("Those of next year, taken while nobody knew the time, shut out none once the time is known")
    func future() throws {
        var record = SettingsRecord(owner: "M/b")
        #expect(try apply(settings("s-1", at: 9_000, Self.short), &record) == .trial)
        let later = try settings("s-2", at: 1_000, Self.long)
        #expect(throws: CommandError.self) { try record.apply(later) }
        // A sender's clock may be a minute ahead.
        #expect(throws: CommandError.self) {
            try record.apply(later, now: Timestamp(millisecondsSince1970: 8_941_000))
        }
        #expect(try apply(later, &record, now: Timestamp(millisecondsSince1970: 1_000_000)) == .trial)
        #expect(record.current == later)
    }

    @Test("A box that ends before it was online with them is made without them the next time")
    func crash() throws {
        var record = SettingsRecord(owner: "M/b")
        _ = try record.apply(settings("s-1", at: 1, Self.short))
        // A power cut before the box is made with them is no trial.
        record = try read(record)
        record.willStart()
        #expect(record.current != nil)
        record = try read(record)
        record.willStart()
        #expect(record.current == nil && record.reason == "the box ended before it was online with them")
    }

    @Test("The newest count, whatever became of them; older ones and those of the same moment do not come back")
    func order() throws {
        var record = SettingsRecord(owner: "M/b")
        let second = try settings("s-2", at: 2, Self.short)
        #expect(try apply(second, &record) == .trial)
        #expect(try apply(second, &record) == nil)
        func isOutdated(_ settings: RemoteSettings) -> Bool {
            do throws(CommandError) { _ = try record.apply(settings) } catch {
                return error.reason.hasSuffix(" is not later than \(second.at), the time of newer settings")
            }
            return false
        }
        #expect(try isOutdated(settings("s-1", at: 1, Self.long)))
        #expect(try isOutdated(settings("s-1", at: 2, Self.long)))
        record.fail("x")
        #expect(try isOutdated(settings("s-1", at: 1, Self.long)))
        #expect(try apply(settings("s-3", at: 3, Self.long), &record) == .trial)
    }

    @Test("A volume alone acts at once, and needs no trial")
    func volume() throws {
        var record = SettingsRecord(owner: "M/b")
        let first = try settings("s-1", at: 1, #"{"audio":{"volume":60}}"#)
        #expect(try apply(first, &record) == .applied)
        #expect(record.inForce == first && first.volume == Volume(60))
        // During a trial it takes part in it.
        _ = try record.apply(settings("s-2", at: 2, Self.short))
        record.willStart()
        let louder = try settings("s-3", at: 3, #"{"audio":{"volume":90},"announce":{"expire_after":"5m"}}"#)
        #expect(try apply(louder, &record) == .trial)
        #expect(record.newest == louder && record.isTried && record.inForce == first)
    }

    @Test("What is no record is none", arguments: ["{}", #"{"owner":"M/b","result":"soon","tried":false}"#])
    func damaged(text: String) throws {
        #expect(SettingsRecord(decoding: try JSONValue(parsing: Array(text.utf8))) == nil)
    }
}
