import ConfinementTrial
import Glibc
import SoundboxSystem
import Testing

@Suite("Processes within bounds", .timeLimit(.minutes(10)))
struct BoundedProcessTests {
    @Test("A confined process can do nothing but read, write, ask for the time and end: any other system call kills it")
    func filter() async throws {
        for call in ["nothing", "open", "time"] { #expect(soundbox_try_confined(call) == 0, "\(call)") }
        for call in ["socket", "fork", "kill", "execute", "read"] {
            #expect(soundbox_try_confined(call) & 0x7F == SIGSYS, "\(call)")
        }
    }

    @Test("A process that is kept in its group, and what it starts, cannot leave it")
    func group() {
        for call in ["setsid", "setpgid", "started"] { #expect(soundbox_try_to_leave(call) == 0, "\(call)") }
    }

    private func run(_ script: String, most: Int = 100) -> Result<[UInt8], BoundedProcess.Failure> {
        BoundedProcess(
            program: "/bin/sh", arguments: ["-c", script], time: .milliseconds(500), mostOutput: most,
            memory: 256 << 20, processorSeconds: 5
        ).run(input: Array(repeating: 65, count: 1_000_000))
    }

    @Test("A program that hangs, floods or dies is stopped and told apart")
    func bounds() throws {
        #expect(run("exec sleep 600") == .failure(.tooSlow))
        #expect(run("exec >&-; exec sleep 600") == .failure(.tooSlow))
        #expect(run("while :; do echo flood; done") == .failure(.tooMuchOutput))
        #expect(run("exit 7") == .failure(.exited(code: 7, saying: "")))
        #expect(run("kill -9 $$") == .failure(.killed(signal: 9)))
        #expect(run("echo ok") == .success(Array("ok\n".utf8)))
        #expect(
            run("ls /proc/self/fd; env", most: 1000).map { String(decoding: $0, as: UTF8.self) }.map {
                !$0.contains("HOME") && $0.split(separator: "\n").filter { Int($0) != nil }.count <= 4
            } == .success(true))
        let missing = BoundedProcess(
            program: "/nonexistent", arguments: [], time: .seconds(1), mostOutput: 1, memory: 1 << 28,
            processorSeconds: 1)
        #expect(missing.run(input: []) == .failure(.notStarted(SystemError(code: ENOENT))))
    }

    @Test("What it says of its failure is its last line, behind what its libraries say, and not all that it writes")
    func reason() {
        #expect(run("echo one >&2; echo two >&2; exit 1") == .failure(.exited(code: 1, saying: "two")))
        let long = String(repeating: "x", count: 400)
        #expect(run("printf %01000d 0 | tr 0 x >&2; exit 1") == .failure(.exited(code: 1, saying: long)))
        #expect(run("while :; do echo flood; done >&2") == .failure(.tooSlow))
    }

    @Test(
        "What it has started ends with it, whether it had to be killed or has ended by itself",
        arguments: [
            ("sleep 600", Result<[UInt8], BoundedProcess.Failure>.failure(.tooSlow)),
            ("echo ok", .success(Array("ok\n".utf8))),
        ])
    func descendants(last: String, result: Result<[UInt8], BoundedProcess.Failure>) throws {
        // A FIFO, whose writer is the grandchild: its end is an end of file.
        let fifo = "/tmp/soundbox-group-\(getpid())-\(last.utf8.count)"
        #expect(mkfifo(fifo, 0o600) == 0)
        defer { unlink(fifo) }
        let reader = open(fifo, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        #expect(run("exec 9>\(fifo); sleep 600 >&9 2>&9 & exec 9>&-; \(last)") == result)
        var wait = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
        #expect(poll(&wait, 1, 60_000) == 1 && wait.revents & Int16(POLLHUP) != 0)
    }
}
