import Glibc
import SoundboxSystem
import Testing

@Suite("Threads", .timeLimit(.minutes(10)))
struct ThreadTests {
    private struct Refusal: Error, Equatable {
        var code: Int
    }

    /// The name that Linux keeps for the calling thread.
    private static func currentThreadName() -> String {
        let descriptor = open("/proc/thread-self/comm", O_RDONLY)
        defer { close(descriptor) }
        var name = [UInt8](repeating: 0, count: 32)
        let count = read(descriptor, &name, name.count)
        return String(decoding: name.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    @Test("The result of the body is returned, and its error is thrown")
    func resultAndError() async throws {
        #expect(try await onOwnThread(named: "result") { 42 } == 42)
        await #expect(throws: Refusal(code: 7)) {
            try await onOwnThread(named: "error") { () throws -> Int in throw Refusal(code: 7) }
        }
    }

    @Test("A thread that is late is left behind; one that is not gives its result")
    func late() async {
        let end = BlockingQueue<Int>()
        let late = await onOwnThread(named: "late", within: .milliseconds(50)) { end.next() }
        #expect(late == nil)
        end.finish()
        #expect(await onOwnThread(named: "early", within: .seconds(60)) { 42 } == 42)
    }

    @Test("The thread carries its name, cut to fifteen bytes")
    func names() async throws {
        #expect(try await onOwnThread(named: "inbox") { Self.currentThreadName() } == "inbox")
        #expect(
            try await onOwnThread(named: "a-name-of-twenty-one!") { Self.currentThreadName() } == "a-name-of-twent")
    }

    @Test("Writing to what nobody reads any more is an error of the call, and not the end of the program")
    func brokenPipe() async throws {
        let (isBlocked, error) = try await onOwnThread(named: "writer") {
            var mask = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &mask)
            // Without this the write below might be the end of the tests.
            guard sigismember(&mask, SIGPIPE) == 1 else { return (false, Int32(0)) }
            var ends: [Int32] = [-1, -1]
            #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
            defer { for end in ends { close(end) } }
            // Not `close`: a child of another test, just started, may hold that descriptor as well.
            shutdown(ends[0], Int32(SHUT_RD))
            return (true, write(ends[1], "x", 1) < 0 ? errno : 0)
        }
        #expect(isBlocked)
        #expect(error == EPIPE)
    }

    @Test("Bodies that wait for one another do not keep each other from running")
    func independence() async throws {
        // More threads than cores, each of which ends only when the last has started.
        let count = 32
        let started = BlockingQueue<Int>()
        let gate = BlockingQueue<Int>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask {
                    try await onOwnThread(named: "waiter") {
                        started.append(number)
                        #expect(gate.next() == nil)
                    }
                }
            }
            group.addTask {
                try await onOwnThread(named: "opener") {
                    for _ in 0..<count { _ = started.next() }
                    gate.finish()
                }
            }
            try await group.waitForAll()
        }
    }
}
