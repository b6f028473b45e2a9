import CConfinement
import Glibc

/// A program that reads its input and writes its output within limits of time, memory and size.
///
///     let process = BoundedProcess(
///         program: "/usr/bin/espeak-ng", arguments: ["--stdout"], time: .seconds(10), mostOutput: 1 << 20,
///         memory: 256 << 20, processorSeconds: 5)
///     let output = try await process.run(input: Array("hello".utf8), onThreadNamed: "espeak").get()
///
/// It is started without a shell, with an empty environment and no open file of its parent, at the lowest processor
/// priority, and as the first victim when memory runs out.
package struct BoundedProcess: Sendable {
    /// An absolute path.
    package var program: String
    /// Without the program's own name.
    package var arguments: [String]
    /// The longest time from its start to its end.
    package var time: Duration
    /// The most bytes that it may write before it is stopped.
    package var mostOutput: Int
    /// Limits of address space, in bytes, and of processor time, in seconds.
    package var memory: UInt
    package var processorSeconds: UInt32
    /// The largest file that it may write, in bytes.
    package var largestFile: UInt
    /// Whether it has a process group of its own, which is killed as a whole when the program has ended or must end. A
    /// process in such a group starts others without one, so that they are killed with it.
    package var leadsGroup: Bool

    package init(
        program: String, arguments: [String], time: Duration, mostOutput: Int, memory: UInt, processorSeconds: UInt32,
        largestFile: UInt = 0, leadsGroup: Bool = true
    ) {
        self.program = program
        self.arguments = arguments
        self.time = time
        self.mostOutput = mostOutput
        self.memory = memory
        self.processorSeconds = processorSeconds
        self.largestFile = largestFile
        self.leadsGroup = leadsGroup
    }

    package enum Failure: Error, Equatable {
        /// The program does not exist, or cannot be executed here.
        case notStarted(SystemError)
        case tooSlow
        case tooMuchOutput
        /// With the last line of its standard error.
        case exited(code: Int32, saying: String)
        case killed(signal: Int32)
    }

    /// Runs it to its end, on a thread of its own. Suspends. If the task is cancelled, the process continues within its
    /// limits.
    /// - Parameter name: of the thread.
    package func run(input: [UInt8], onThreadNamed name: String) async -> Result<[UInt8], Failure> {
        await withCheckedContinuation { continuation in
            startThread(named: name) { continuation.resume(returning: run(input: input)) }
        }
    }

    /// Runs it to its end. Blocks for little more than ``time``.
    package func run(input: [UInt8]) -> Result<[UInt8], Failure> {
        let deadline = Duration.monotonicNow + time
        // Sockets, because writing to a pipe without a reader would raise SIGPIPE.
        guard let standardInput = Pair(), let standardOutput = Pair(), let standardError = Pair() else {
            return .failure(.notStarted(.last))
        }
        let started = start(standardInput, standardOutput, standardError)
        for pair in [standardInput, standardOutput, standardError] { pair.closeTheirs() }
        defer { for pair in [standardInput, standardOutput, standardError] { pair.closeOurs() } }
        guard case .success(let id) = started else { return started.map { _ in [] } }
        // It has read nothing yet.
        soundbox_bound_child(id, memory, processorSeconds, largestFile)
        let output = exchange(input, standardInput, standardOutput, until: deadline)
        // After its whole output it has a moment to end by itself.
        let status = end(id, by: (try? output.get()) == nil ? .zero : deadline)
        return output.flatMap { output in
            // waitpid(2): the signal is in the low seven bits, the exit code in the next byte.
            guard let status else { return .failure(.tooSlow) }
            if status & 0x7F != 0 { return .failure(.killed(signal: status & 0x7F)) }
            if status == 0 { return .success(output) }
            return .failure(.exited(code: status >> 8 & 0xFF, saying: standardError.lastLine))
        }
    }

    private func start(
        _ standardInput: Pair, _ standardOutput: Pair, _ standardError: Pair
    ) -> Result<pid_t, Failure> {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, standardInput.theirs, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, standardOutput.theirs, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, standardError.theirs, STDERR_FILENO)
        // Also files that a library has opened without close-on-exec.
        soundbox_close_others_in_child(&actions)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The thread's blocked and ignored signals would be inherited.
        var none = sigset_t()
        sigemptyset(&none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        let group = leadsGroup ? POSIX_SPAWN_SETPGROUP : 0
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group))

        let argv = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for text in argv { free(text) } }
        let environment: [UnsafeMutablePointer<CChar>?] = [nil]
        var id: pid_t = 0
        let code = posix_spawn(&id, program, &actions, &attributes, argv, environment)
        return code == 0 ? .success(id) : .failure(.notStarted(SystemError(code: code)))
    }

    /// Writes the input and reads the output, as far as the process takes and gives them.
    private func exchange(
        _ input: [UInt8], _ standardInput: Pair, _ standardOutput: Pair, until deadline: Duration
    ) -> Result<[UInt8], Failure> {
        var rest = input[...]
        var isWriting = true
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            if isWriting, rest.isEmpty {
                shutdown(standardInput.ours, Int32(SHUT_WR))
                isWriting = false
            }
            // poll(2) ignores a negative descriptor.
            var waits = [
                pollfd(fd: standardOutput.ours, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isWriting ? standardInput.ours : -1, events: Int16(POLLOUT), revents: 0),
            ]
            let left = deadline - .monotonicNow
            guard left > .zero else { return .failure(.tooSlow) }
            guard poll(&waits, nfds_t(waits.count), left.pollMilliseconds) > 0 else { continue }
            if waits[1].revents != 0 {
                let count = rest.withUnsafeBytes {
                    send(standardInput.ours, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if count > 0 { rest = rest.dropFirst(count) }
                // It reads no more. Its output says why.
                if count < 0, errno != EAGAIN, errno != EINTR { isWriting = false }
            }
            if waits[0].revents != 0 {
                let count = read(standardOutput.ours, &chunk, chunk.count)
                if count < 0, errno == EAGAIN || errno == EINTR { continue }
                // A child that dies with unread input resets the connection, which is an end like any other.
                guard count > 0 else { return .success(output) }
                output += chunk[..<count]
                guard output.count <= mostOutput else { return .failure(.tooMuchOutput) }
            }
        }
    }

    /// - Returns: the status from waitpid(2); `nil` when it had to be killed.
    private func end(_ id: pid_t, by deadline: Duration) -> Int32? {
        var hasEnded = false
        while deadline > .monotonicNow {
            var end = siginfo_t()
            // Its number stays taken until it is waited for below: nobody else's group can have it.
            let result = waitid(P_PID, id_t(id), &end, WEXITED | WNOHANG | WNOWAIT)
            if result < 0, errno != EINTR { return nil }
            hasEnded = result == 0 && end.si_signo == SIGCHLD
            if hasEnded { break }
            // Before Linux 5.3 no descriptor reports its end. Usually it has ended by now.
            poll(nil, 0, 2)
        }
        // What it has started may still run.
        if leadsGroup { kill(-id, SIGKILL) } else if !hasEnded { kill(id, SIGKILL) }
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        return hasEnded ? status : nil
    }
}

/// Two connected sockets: one for this process, which never blocks, one for the child.
private struct Pair {
    let ours: Int32
    let theirs: Int32

    init?() {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            return nil
        }
        (ours, theirs) = (ends[0], ends[1])
        _ = fcntl(ours, F_SETFL, O_NONBLOCK)
    }

    /// The last line of at most 400 bytes: a program's own message follows those of its libraries. Read it when the
    /// child is gone.
    var lastLine: String {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(ours, &bytes, bytes.count)
        let line = bytes.prefix(max(0, count)).split(separator: 0x0A).last ?? []
        return String(decoding: line.prefix(400), as: UTF8.self)
    }

    func closeOurs() { close(ours) }
    func closeTheirs() { close(theirs) }
}
