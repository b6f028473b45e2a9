import Foundation
import Glibc
import TestSupport
import Testing

@Suite("setup at a terminal keeps secrets off the screen, and leaves the terminal as it was", .timeLimit(.minutes(10)))
struct SetupTerminalTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var target: String { folder.file("soundbox.yaml") }

    private func setup(_ options: String...) throws -> TerminalSession {
        try TerminalSession(
            [
                Products.soundbox, "setup", "--config", target, "--skip-checks", "--skip-sound", "--set",
                "voice.directory=\(Products.sounds)", "--speaker", "-", "--set", "board_directory=\(Products.board)",
            ] + options)
    }

    /// To the question for the password.
    private func reachPassword(_ session: TerminalSession) async throws {
        try await session.shown("Merchant id")
        session.type("M1001\n")
        try await session.shown("Device id")
        session.type("box-01\n")
        try await session.shown("Broker")
        session.type("mqtt://127.0.0.1\n")
        try await session.shown("User name")
        session.type("box\n")
        try await session.shown("Password at the broker")
    }

    @Test("A wrong answer is explained at once, < goes back, and the password is never seen")
    func dialogue() async throws {
        let session = try setup()
        try await session.shown("Merchant id")
        #expect(session.echoes)
        session.type("M/1001\n")
        try await session.shown("cannot be an id: it holds \"/\"")
        try await session.shown("Merchant id")
        session.type("M1001\n")
        try await session.shown("Device id")
        session.type("<\n")
        try await session.shown("Merchant id")
        try await session.shown("[M1001]")
        session.type("\n")
        try await session.shown("Device id")
        session.type("box-01\n")
        try await session.shown("Broker")
        session.type("http://127.0.0.1\n")
        try await session.shown("mqtt or mqtts")
        try await session.shown("Broker")
        session.type("mqtt://127.0.0.1\n")
        try await session.shown("User name")
        session.type("box\n")
        try await session.shown("Password at the broker")
        #expect(!session.echoes)
        session.type("s3cr\u{1A}et\n")
        try await session.shown("control character")
        try await session.shown("Password at the broker")
        session.type("s3cret\n")
        try await session.shown("Voice")
        #expect(session.echoes)
        session.type("zh-CN, zh-CN\n")
        try await session.shown("everything twice")
        session.type("zh-CN, en-US\n")
        for question in ["Currency", "Board", "Sound device", "Volume"] {
            try await session.shown(question)
            session.type("\n")
        }
        try await session.shown("wrote \(target)")
        #expect(try await session.exitStatus() == 0)
        #expect(try await !session.wholeScreen().contains("s3cr"))
        #expect(String(decoding: try folder.read("broker.password"), as: UTF8.self) == "s3cret\n")
        let text = String(decoding: try folder.read("soundbox.yaml"), as: UTF8.self)
        #expect(text.contains("locale: [zh-CN, en-US]"))
    }

    @Test("Ctrl-C interrupts it, at the password as elsewhere; the terminal echoes again, and nothing is written")
    func interrupted() async throws {
        for atPassword in [false, true] {
            let session = try setup()
            if atPassword {
                try await reachPassword(session)
                #expect(!session.echoes)
                session.type("s3cr")
            } else {
                try await session.shown("Merchant id")
            }
            session.type("\u{3}")
            // A signal is its number (waitpid(2)).
            #expect(try await session.exitStatus() == SIGINT)
            #expect(session.echoes)
            #expect(try await !session.wholeScreen().contains("s3cr"))
            #expect(try folder.names() == [])
        }
    }

    @Test("A signal ends it at the password, and the terminal echoes again", arguments: [SIGTERM, SIGHUP])
    func signalled(signal: Int32) async throws {
        let session = try setup()
        try await reachPassword(session)
        #expect(!session.echoes)
        kill(session.id, signal)
        #expect(try await session.exitStatus() == signal)
        #expect(session.echoes)
    }

    @Test("quit leaves it at the password, too")
    func quit() async throws {
        let session = try setup()
        try await reachPassword(session)
        session.type("quit\n")
        try await session.shown("Nothing was changed.")
        #expect(try await session.exitStatus() >> 8 == 1)
        #expect(session.echoes)
        #expect(try folder.names() == [])
    }
}
