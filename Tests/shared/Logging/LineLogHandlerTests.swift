import Logging
import Synchronization
import Testing

@testable import SoundboxLogging

@Suite("The log")
struct LineLogHandlerTests {
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
        func logger(_ style: LineLogHandler.Style, level: Logger.Level = .info) -> Logger {
            Logger(label: "test") { _ in
                LineLogHandler(level: level, style: style) { line in self.all.withLock { $0.append(line) } }
            }
        }
    }

    @Test("One line per event: time, level, event, pairs in the order of their keys")
    func terminal() throws {
        let lines = Lines()
        lines.logger(.terminal).warning("offline", metadata: ["retry_in": "2 s", "broker": "mqtt://x"])
        let line = try #require(lines.all.withLock { $0.first })
        #expect(line.hasSuffix("Z warning offline broker=mqtt://x retry_in=\"2 s\"\n"))
    }

    @Test("Under systemd the level is the priority in front, and the journal has the time")
    func journal() {
        let lines = Lines()
        lines.logger(.journal).error("no sound", metadata: ["reason": "gone"])
        #expect(lines.all.withLock { $0 } == ["<3>no sound reason=gone\n"])
    }

    @Test("What comes from the network can neither break the line nor drive the terminal")
    func hostileValues() {
        let lines = Lines()
        lines.logger(.journal).info("stored", metadata: ["id": "a\n<2>stored id=fake\u{1B}[2J\u{202E}"])
        #expect(lines.all.withLock { $0 } == ["<6>stored id=\"a\\u{a}<2>stored id=fake\\u{1b}[2J\\u{202e}\"\n"])
    }

    @Test("Quotes in a value are told from those around it")
    func quotes() {
        let lines = Lines()
        lines.logger(.journal).info("x", metadata: ["id": "say \"hi\"", "none": ""])
        #expect(lines.all.withLock { $0 } == ["<6>x id=\"say \\\"hi\\\"\" none=\"\"\n"])
    }

    @Test("What lies below the level is left out")
    func level() {
        let lines = Lines()
        lines.logger(.journal, level: .warning).info("stored")
        #expect(lines.all.withLock { $0 }.isEmpty)
    }
}
