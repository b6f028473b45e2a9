import SoundboxAudio
import SoundboxCore
import Testing

@testable import SoundboxRuntime

@Suite("Commands")
struct CommandTests {
    @Test(
        "Commands of the commands topic are read",
        arguments: [
            (#"{"id":"c","type":"replay"}"#, Command.play(.last)),
            (#"{"id":"c","type":"volume","volume":80}"#, .volume(.to(Volume(80)))),
            (#"{"id":"c","type":"volume","volume":"up"}"#, .volume(.up)),
            (#"{"id":"c","type":"volume","volume":"down"}"#, .volume(.down)),
            (#"{"id":"c","type":"volume","volume":"mute"}"#, .volume(.mute)),
            (#"{"id":"c","type":"volume","volume":"unmute"}"#, .volume(.unmute)),
        ])
    func good(text: String, command: Command) throws {
        #expect(try Command(decoding: Array(text.utf8)) == command)
    }

    @Test(
        "What is no command is refused with its field",
        arguments: [
            ("", "payload"), (#"{"type":"explode"}"#, "type"), (#"{"type":3}"#, "type"), ("{}", "type"),
            (#"{"type":"volume"}"#, "volume"), (#"{"type":"volume","volume":101}"#, "volume"),
            (#"{"type":"volume","volume":"loud"}"#, "volume"),
        ])
    func bad(text: String, field: String) {
        let error = #expect(throws: CommandError.self) { try Command(decoding: Array(text.utf8)) }
        #expect(field == "payload" || error?.reason.hasPrefix("\(field):") == true)
    }

    @Test(
        "Up and down stop at the ends", arguments: [(95, Command.VolumeChange.up, 100), (5, .down, 0), (50, .up, 60)])
    func ends(level: Int, change: Command.VolumeChange, expected: Int) {
        #expect(change.applied(to: Volume(level)) == Volume(expected))
    }
}
