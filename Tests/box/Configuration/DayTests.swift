import SoundboxCore
import SoundboxYAML
import Testing

@testable import SoundboxBox
@testable import SoundboxConfiguration

@Suite("The business day in the configuration")
struct DayTests {
    private func day(_ text: String) throws -> DaySettings {
        try Configuration(
            parsing: """
                merchant_id: M1
                device_id: box-01
                broker: {url: "mqtt://localhost"}
                \(text)
                """, file: "soundbox.yaml"
        ).features.day
    }

    @Test("Without a word of it a day begins at midnight, in the machine's zone, and is not told by itself")
    func defaults() throws { #expect(try day("") == DaySettings(cutOver: 0)) }

    @Test("All of it is read")
    func all() throws {
        #expect(
            try day(#"day: {cut_over: "04:00", time_zone: Asia/Shanghai, announce_at: "23:30"}"#)
                == DaySettings(cutOver: 240, timeZone: "Asia/Shanghai", announceAt: 23 * 60 + 30))
    }

    @Test(
        "What cannot be is refused with its key",
        arguments: [
            (#"day: {cut_over: "24:00"}"#, "day.cut_over"), ("day: {time_zone: ../../etc/passwd}", "day.time_zone"),
            ("day: {time_zone: /etc/localtime}", "day.time_zone"), (#"day: {announce_at: "25:00"}"#, "day.announce_at"),
            (#"day: {announce_at: "00:00"}"#, "day.announce_at"), (#"day: {cutover: "04:00"}"#, "cut_over"),
        ])
    func refuses(text: String, key: String) {
        #expect { try day(text) } throws: { "\($0)".contains(key) }
    }
}
