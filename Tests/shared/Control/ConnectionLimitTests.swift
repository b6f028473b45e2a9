import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxControl

@Suite("The connections of the server are few and short", .timeLimit(.minutes(10)))
struct ConnectionLimitTests {
    private let trial: HTTPTrial

    init() throws { trial = try HTTPTrial() }

    /// A connection that stays open, and that the server has looked at.
    private func keptOpen() async throws -> (UnixConnection, pieces: Journal<String>) {
        let connection = try await trial.send("GET /status HTTP/1.1")
        #expect(try await connection.answer.next().hasPrefix("HTTP/1.1 200"))
        return (connection.connection, connection.answer)
    }

    @Test("Who has been idle for the longest makes room for a new connection, and the others are still answered")
    func oldest() async throws {
        try await trial.run { _ in
            var connections: [(UnixConnection, pieces: Journal<String>)] = []
            for _ in 0...HTTPServer.Limits().mostConnections { connections.append(try await keptOpen()) }
            _ = try await connections[0].pieces.all()
            for (connection, pieces) in connections.dropFirst() {
                connection.send("GET /again HTTP/1.1\r\nHost: box\r\n\r\n")
                #expect(try await pieces.next().contains("GET /again"))
            }
        }
    }

    @Test("It is the one that was used last which stays")
    func idlest() async throws {
        try await trial.run { _ in
            var connections: [(connection: UnixConnection, pieces: Journal<String>)] = []
            for _ in 1...HTTPServer.Limits().mostConnections { connections.append(try await keptOpen()) }
            let first = connections.removeFirst()
            first.connection.send("GET /again HTTP/1.1\r\nHost: box\r\n\r\n")
            #expect(try await first.pieces.next().contains("GET /again"))
            #expect(try await trial.serves())
            _ = try await connections[0].pieces.all()
            for (connection, pieces) in connections.dropFirst() + [first] {
                connection.send("GET /still HTTP/1.1\r\nHost: box\r\n\r\n")
                #expect(try await pieces.next().contains("GET /still"))
            }
        }
    }

    @Test("Whose request is complete stays, however long the answer takes: others go, and when there are none, wait")
    func owed() async throws {
        var limits = HTTPTrial.patient
        limits.waitsForAnswers = true
        try await trial.run(limits) { _ in
            var slow: [(connection: UnixConnection, answer: Journal<String>)] = []
            func ask() async throws {
                slow.append(try await trial.send("GET /slow HTTP/1.1"))
                _ = try await trial.requests.next { $0.path == "/slow" ? $0 : nil }
            }
            for _ in 1..<HTTPServer.Limits().mostConnections { try await ask() }
            // Half of a request.
            let half = try await trial.send("PUT /volume HTTP/1.1", "Content-Length: 9\r\n\r\n{")
            #expect(try await trial.serves())
            _ = try await half.answer.all()
            try await ask()
            let next = try await trial.send("GET /next HTTP/1.1")
            trial.slowness.signal()
            for (_, answer) in slow { #expect(try await answer.next().hasSuffix("GET /slow ")) }
            #expect(try await next.answer.next().hasSuffix("GET /next "))
        }
    }

    @Test("A connection that has ended takes no room")
    func ended() async throws {
        try await trial.run { _ in
            let first = try await keptOpen()
            for _ in 1...20 { #expect(try await trial.serves()) }
            first.0.send("GET /again HTTP/1.1\r\nHost: box\r\n\r\n")
            #expect(try await first.pieces.next().contains("GET /again"))
        }
    }

    @Test("Who says nothing is let go, and so is one who stops in the middle of a request")
    func idle() async throws {
        try await trial.run(.init(idleSeconds: 1)) { _ in
            let silent = try await trial.connect()
            let half = try await trial.send("PUT /volume HTTP/1.1", "Content-Length: 9\r\n\r\n{")
            _ = try await silent.received().all()
            _ = try await half.answer.all()
            #expect(trial.requests.entries.isEmpty)
        }
    }

    @Test("A connection is cut off at the end of its time, however busy it is")
    func lifetime() async throws {
        try await trial.run(.init(lifetime: .milliseconds(300))) { _ in
            let connection = try await trial.connect()
            connection.send("GET /status HTTP/1.1\r\nX: ")
            while !connection.isOver {
                connection.send("x")
                try await Task.sleep(for: .milliseconds(10))
            }
            let slow = try await trial.send("GET /slow HTTP/1.1")
            #expect(try await slow.answer.all().isEmpty)
            // A client that a busy machine stops for so short a lifetime is cut off as well, and comes again.
            while try await !trial.serves() {}
        }
    }

    @Test("Slow answers hold up nobody, and come as soon as they are there")
    func slow() async throws {
        try await trial.run { _ in
            let slow = try await trial.send("GET /slow HTTP/1.1", "Connection: close\r\n\r\n")
            _ = try await trial.requests.next { $0.path == "/slow" ? $0 : nil }
            #expect(try await trial.serves())
            trial.slowness.signal()
            #expect(try await slow.answer.all().joined().hasSuffix("GET /slow "))
        }
    }

    @Test("Answers that never come take no place from others")
    func neverAnswered() async throws {
        try await trial.run { _ in
            var slow: [(connection: UnixConnection, answer: Journal<String>)] = []
            for _ in 1...20 {
                slow.append(try await trial.send("GET /slow HTTP/1.1"))
                // One that has connected and not asked yet would make room before those that wait for answers.
                _ = try await trial.requests.next { $0.path == "/slow" ? $0 : nil }
            }
            #expect(try await trial.serves())
            // All but seven, and the one before made room for the next.
            for (_, answer) in slow.prefix(13) { #expect(try await answer.all().isEmpty) }
            // What is computed for those that are gone goes nowhere.
            trial.slowness.signal()
            for (_, answer) in slow.suffix(7) { #expect(try await answer.next().hasSuffix("GET /slow ")) }
            #expect(try await trial.serves())
        }
    }

    @Test("Who hangs up while the answer is made costs nobody anything")
    func hangUp() async throws {
        try await trial.run { _ in
            for _ in 1...5 {
                let connection = try await trial.connect()
                connection.send("GET /slow HTTP/1.1\r\nHost: box\r\n\r\n")
                _ = try await trial.requests.next { $0.path == "/slow" ? $0 : nil }
                withExtendedLifetime(connection) {}
            }
            trial.slowness.signal()
            #expect(try await trial.serves())
        }
    }

    @Test("At the end idle clients are cut off at once, and an answer that is on its way still comes")
    func farewell() async throws {
        try await trial.run(.init(farewell: .seconds(60))) { server in
            let idle = try await keptOpen()
            let slow = try await trial.send("GET /slow HTTP/1.1")
            _ = try await trial.requests.next { $0.path == "/slow" ? $0 : nil }
            server.stop()
            _ = try await idle.pieces.all()
            trial.slowness.signal()
            #expect(try await slow.answer.all().joined().hasSuffix("GET /slow "))
        }
    }

    @Test("At the end nobody is waited for who has half asked, nor an answer that does not come")
    func end() async throws {
        let half = Journal<(connection: UnixConnection, answer: Journal<String>)>()
        try await trial.run(.init(farewell: .milliseconds(100))) { _ in
            for _ in 1...3 {
                half.append(try await trial.send("PUT /volume HTTP/1.1", "Content-Length: 9\r\n\r\n{"))
                half.append(try await trial.send("GET /slow HTTP/1.1"))
            }
            for _ in 1...3 { _ = try await trial.requests.next { $0.path == "/slow" ? $0 : nil } }
        }
        for (_, answer) in half.entries { #expect(try await answer.all().isEmpty) }
    }

    @Test("A server that is stopped before it runs ends at once")
    func stoppedBefore() async throws {
        for _ in 1...20 { try await trial.run { $0.stop() } }
    }
}
