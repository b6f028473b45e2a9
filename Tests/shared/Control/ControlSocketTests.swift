import Foundation
import Glibc
import SoundboxBox
import SoundboxControl
import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

@Suite("The control socket in the file system", .timeLimit(.minutes(10)))
struct ControlSocketTests {
    private let trial: ControlTrial

    init() throws { trial = try ControlTrial() }

    /// - Returns: `nil` when nothing is there.
    private func mode() -> mode_t? {
        var attributes = stat()
        return lstat(trial.socketPath, &attributes) == 0 ? attributes.st_mode : nil
    }

    @Test("Only the box's user and group may open it, and it goes with the box")
    func mode0660() async throws {
        try await trial.whileOpen { #expect(mode() == S_IFSOCK | 0o660) }
        #expect(mode() == nil)
    }

    @Test("What a killed box left behind is taken over")
    func leftBehind() async throws {
        let killed = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        try #require(withUnixAddress(trial.socketPath) { bind(killed, $0, $1) } == 0)
        // It never listened: a process that another test starts just now has a copy of it for a moment, which would
        // answer, as a box that lives.
        close(killed)
        try #require(mode() != nil)
        try await trial.whileOpen {
            let status = try await trial.client.status()
            #expect(status == trial.status)
        }
        #expect(mode() == nil)
    }

    /// Serves every connection on the socket with the same text, and closes it if it is to be closed.
    private func serve(_ text: String, closing: Bool) throws -> Int32 {
        let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        try #require(withUnixAddress(trial.socketPath) { bind(server, $0, $1) } == 0)
        try #require(listen(server, 4) == 0)
        startThread(named: "half-answer") {
            while case let connection = accept(server, nil, nil), connection >= 0 {
                var question = [UInt8](repeating: 0, count: 4096)
                _ = read(connection, &question, question.count)
                var rest = Array(text.utf8)[...]
                while !rest.isEmpty {
                    let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                    guard count > 0 else { break }
                    rest = rest.dropFirst(count)
                }
                guard closing else { continue }
                // A process that another test starts just now has a copy of it for a moment, which would keep it open.
                shutdown(connection, Int32(SHUT_RDWR))
                close(connection)
            }
            // Here and not where it is shut down: its number would be another test's before this thread asks again.
            close(server)
        }
        return server
    }

    private func failure(_ text: String, closing: Bool, timeout: Duration) async throws -> String? {
        let server = try serve(text, closing: closing)
        defer { shutdown(server, Int32(SHUT_RDWR)) }
        let client = ControlClient(socketPath: trial.socketPath, timeout: timeout)
        return await #expect(throws: ControlError.self) { _ = try await client.status() }?.description
    }

    @Test(
        "Whoever begins an answer and does not end it is given up, as one who never answers",
        arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"])
    func unfinishedAnswer(begun: String) async throws {
        let reason = try await failure(begun, closing: false, timeout: .milliseconds(300))
        #expect(reason?.hasSuffix("did not answer within 0.3 seconds") == true, "\(reason ?? "")")
    }

    @Test(
        "An answer that hangs up, ends early, is too large or none of a box's is told as none",
        arguments: [
            ("", "did not answer: "),
            ("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{", "did not answer: it was cut off after 1 bytes: "),
            ("HTTP/1.1 200 OK\r\nContent-Length: 1048577\r\n\r\n{", "answer is larger than 1048576 bytes"),
            ("HTTP/1.1 200 OK\r\n\r\n" + String(repeating: " ", count: 1_048_577), "is larger than 1048576 bytes"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "did not answer: not valid JSON at byte 0"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", "told no state; is it of another version?"),
            ("HTTP/1.1 503 No\r\nContent-Length: 2\r\n\r\n{}", "refused"), ("SSH-2.0\r\n", "did not answer: "),
        ])
    func unusableAnswer(text: String, expected: String) async throws {
        let reason = try await failure(text, closing: true, timeout: .seconds(60))
        #expect(reason?.contains(expected) == true, "\(reason ?? "")")
    }

    @Test("Something else in its place is left alone to the end, and the box goes on without a control socket")
    func noSocket() async throws {
        let text = "somebody's notes"
        try text.write(toFile: trial.socketPath, atomically: false, encoding: .utf8)
        try await trial.run {
            let line = try await trial.log.next()
            #expect(
                line == "no control socket: something that is no socket is in its place; set another control_socket")
            // Long enough for a server that gave up to be missed.
            let other = try ControlTrial()
            try await other.whileOpen { _ = try await other.client.status() }
        }
        #expect(try String(contentsOfFile: trial.socketPath, encoding: .utf8) == text)
    }

    @Test("A second box on it is refused and goes on without, and costs the first one nothing, not even by its end")
    func secondBox() async throws {
        let second = ControlTrial(beside: trial)
        try await trial.whileOpen {
            try await second.run {
                let line = try await second.log.next()
                #expect(line == "no control socket: another soundbox answers on it; set another control_socket")
                _ = try await trial.client.setVolume("40")
            }
            #expect(try await trial.client.volume()["volume"]?.integer == 40)
            #expect(second.loudness.volume == Volume(80))
        }
        #expect(mode() == nil)
    }

    @Test("It comes back whenever somebody removes it, and still goes with the box")
    func removed() async throws {
        try await trial.whileOpen {
            for _ in 1...3 {
                try #require(unlink(trial.socketPath) == 0)
                _ = try await trial.log.next { $0 == "the control socket was removed and is back" ? $0 : nil }
                #expect(mode() == S_IFSOCK | 0o660)
                #expect(try await trial.client.status() == trial.status)
            }
        }
        #expect(mode() == nil)
    }

    @Test("What somebody puts in its place is left alone to the end")
    func replaced() async throws {
        let text = "somebody's notes"
        let notes = trial.socketPath + ".notes"
        try text.write(toFile: notes, atomically: false, encoding: .utf8)
        try await trial.whileOpen {
            try #require(rename(notes, trial.socketPath) == 0)
            _ = try await trial.log.next { $0 == "no control socket: something else is in its place" ? $0 : nil }
        }
        #expect(try String(contentsOfFile: trial.socketPath, encoding: .utf8) == text)
    }
}
