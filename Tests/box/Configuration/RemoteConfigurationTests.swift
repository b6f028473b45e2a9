import SoundboxBox
import SoundboxCore
import SoundboxYAML
import TestSupport
import Testing

@testable import SoundboxConfiguration

@Suite("Settings from afar, over the configuration")
struct RemoteConfigurationTests {
    private static let least = "merchant_id: M1001\ndevice_id: box-01\nbroker: {url: \"mqtt://127.0.0.1\"}\n"

    @Test("Settings from afar count in place of what the file says, and are checked as if they stood there")
    func remote() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            Self.least
                + "audio: {volume: 20}\nannounce: {expire_after: 2m, quiet_hours: {from: \"1:00\", to: \"2:00\", volume: 0}}\n",
            to: "soundbox.yaml")
        func read(_ values: String) throws -> Configuration {
            let settings = try RemoteSettings(
                id: CommandID("s"), at: Timestamp(millisecondsSince1970: 0),
                values: JSONValue(parsing: Array(values.utf8)))
            return try Configuration(readingFile: folder.file("soundbox.yaml"), with: settings)
        }
        let none = try read("{}")
        #expect(
            none.features.announcements.freshness.expireAfter == .seconds(120) && none.features.quietHours.hours != nil)
        let some = try read(
            #"{"audio":{"volume":null},"voice":{"locale":["en-US","zh-CN"]},"#
                + #""announce":{"quiet_hours":null,"prompts":{"ready":false},"expire_after":"5m"}}"#)
        #expect(some.audio.volume == Volume(20) && some.voice.locales == ["en-US", "zh-CN"])
        #expect(
            some.features.quietHours.hours == nil && some.features.announcements.freshness.expireAfter == .seconds(300))
        #expect(some.features.networkPrompts.saysReady == false && some.features.networkPrompts.saysNetwork)
        for (values, key) in [
            (#"{"announce":{"quiet_hours":{"from":"25:00","to":"1:00","volume":1}}}"#, "announce.quiet_hours.from"),
            (#"{"announce":{"prompts":{"x":true}}}"#, "announce.prompts"),
            (#"{"voice":{"locale":{}}}"#, "voice.locale"),
            (#"{"voice":{"locale":["zh-CN","zh-CN"]}}"#, "voice.locale"),
            (#"{"voice":{"locale":["zh-CN","zh-CN-yunxi"]}}"#, "voice.locale"),
            (#"{"announce":{"expire_after":"\n- x"}}"#, "announce"),
        ] {
            #expect {
                _ = try read(values)
            } throws: { error in
                (error as? YAMLError)?.key.hasPrefix(key) == true
            }
        }
        // What it tells can be sent back as it is.
        #expect(try read(some.settable.text).settable == some.settable)
        #expect(try read(none.settable.text).settable == none.settable)
    }
}
