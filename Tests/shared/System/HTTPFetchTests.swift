import Glibc
import SoundboxSystem
import TestSupport
import Testing

@Suite("Questions by HTTP", .timeLimit(.minutes(10)))
struct HTTPFetchTests {
    private func request(_ method: String, _ url: String) -> HTTPFetch {
        HTTPFetch(method, url, limit: .seconds(300), most: 1000)
    }

    private func request(_ url: String) -> HTTPFetch { request("GET", url) }

    @Test("The address is asked, whatever the name would lead to; the name is what the server hears")
    func pinned() async throws {
        let asked = Journal<String>()
        let server = try LoopbackServer { connection, request in
            asked.append(request)
            LoopbackServer.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", on: connection)
        }
        var request = request("http://nobody.invalid:\(server.port)/")
        request.address = "127.0.0.1"
        #expect(try await request.answer(onThreadNamed: "test").status == 200)
        #expect(try await asked.next().contains("\r\nHost: nobody.invalid:\(server.port)\r\n"))
        request.address = "nobody"
        await #expect(throws: HTTPFailure.notReached("the address is none", SystemError(code: EINVAL))) {
            try await request.answer(onThreadNamed: "test")
        }
    }

    @Test("IPv6 as well")
    func pinnedV6() async throws {
        var request = request("http://nobody.invalid:\(try LoopbackSocket.freePort())/")
        request.address = "::1"
        let error = await #expect(throws: HTTPFailure.self) { try await request.answer(onThreadNamed: "test") }
        guard case .notReached(_, let reason?) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        // Nobody listens there; a machine without IPv6 has no such address.
        #expect([ECONNREFUSED, EADDRNOTAVAIL, EAFNOSUPPORT, ENETUNREACH].contains(reason.code))
    }

    @Test("A body is sent with its length and no kind; one without bytes too")
    func bodies() async throws {
        let asked = Journal<String>()
        let server = try LoopbackServer { connection, request in
            asked.append(request)
            LoopbackServer.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", on: connection)
        }
        for (body, length) in [([UInt8](), 0), (Array("{}".utf8), 2), ([0, 1, 0], 3)] {
            var request = request("PUT", "http://127.0.0.1:\(server.port)/x?y=%20")
            request.headers = ["Content-Type:", "Expect:"]
            request.body = body
            _ = try await request.answer(onThreadNamed: "test")
            let text = try await asked.next()
            #expect(text.hasPrefix("PUT /x?y=%20 HTTP/1.1\r\n") && text.contains("\r\nContent-Length: \(length)\r\n"))
            #expect(!text.contains("Content-Type") && !text.contains("Expect"))
            #expect(Array(text.utf8).suffix(length) == body[...])
        }
    }

    @Test("One that is cancelled before it begins asks nobody")
    func cancelledBefore() async throws {
        let server = try LoopbackServer { connection, _ in
            var byte: UInt8 = 0
            while read(connection, &byte, 1) > 0 {}
        }
        let request = request("http://127.0.0.1:\(server.port)/")
        let isCancelled = OneTimeSignal()
        let task = Task {
            await isCancelled.wait()
            return try await request.answer(onThreadNamed: "test")
        }
        task.cancel()
        isCancelled.signal()
        await #expect(throws: HTTPFailure.cancelled) { try await task.value }
    }

    @Test("Anything but http and https is refused, and so is a password in the URL")
    func schemes() async {
        for url in ["file:///etc/hostname", "ftp://127.0.0.1/", "http://user:secret@127.0.0.1/"] {
            await #expect(throws: HTTPFailure.self) { try await request(url).answer(onThreadNamed: "test") }
        }
    }
}
