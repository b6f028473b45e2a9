import Foundation
import Glibc
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

    @Test(
        "Whoever begins an answer and does not end it is given up, as one who never answers",
        arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"])
    func unfinishedAnswer(begun: String) async throws {
        let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        try #require(withUnixAddress(trial.socketPath) { bind(server, $0, $1) } == 0)
        try #require(listen(server, 4) == 0)
        // The first of its two connections only asks whether somebody listens.
        startThread(named: "half-answer") {
            while case let connection = accept(server, nil, nil), connection >= 0 {
                _ = send(connection, begun, begun.utf8.count, Int32(MSG_NOSIGNAL))
            }
        }
        let client = ControlClient(socketPath: trial.socketPath, patience: .milliseconds(300))
        let error = await #expect(throws: ControlError.self) { _ = try await client.status() }
        #expect(error?.description.hasSuffix("did not answer within 0.3 seconds") == true)
        shutdown(server, Int32(SHUT_RDWR))
        close(server)
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
}
