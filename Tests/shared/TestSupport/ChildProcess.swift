import Glibc
import SoundboxSystem

/// A child process whose standard output and error are read line by line while it runs.
package final class ChildProcess: Sendable {
    /// What it prints. Finished when it has closed its standard output.
    package let output = Journal<String>()
    /// What it complains about. Finished when it has closed its standard error.
    package let errors = Journal<String>()
    package let id: pid_t
    private let status = Journal<Int32>()

    /// Starts `arguments[0]`, found by `PATH`.
    ///
    /// - Parameter input: what it reads from standard input; at most what a socket's buffer takes, 64 KiB.
    package init(_ arguments: [String], environment: [String: String] = [:], input: String = "") throws {
        let output = try Pair()
        let errors = try Pair()
        let standardInput = try Pair()
        defer { for pair in [output, errors, standardInput] { close(pair.theirs) } }
        guard write(standardInput.ours, input, input.utf8.count) == input.utf8.count else {
            throw TestFailure("the input is too long")
        }
        close(standardInput.ours)

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, standardInput.theirs, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output.theirs, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errors.theirs, STDERR_FILENO)

        id = try spawn(arguments, environment: environment, &actions)

        startThread(named: "child-output") { [journal = self.output] in readLines(of: output.ours, into: journal) }
        startThread(named: "child-errors") { [journal = self.errors] in readLines(of: errors.ours, into: journal) }
        awaitExit(of: id, status)
    }

    /// Asks it to end. Does not wait. Not to be called after ``exitStatus()`` has returned.
    package func terminate() { kill(id, SIGTERM) }

    /// Ends it as a power cut would. Does not wait. Not to be called after ``exitStatus()`` has returned.
    package func kill9() { kill(id, SIGKILL) }

    /// Waits for its end. One caller.
    ///
    /// - Returns: what `waitpid` reports; 0 is success, exit code n is n × 256, a signal is its number.
    package func exitStatus() async throws -> Int32 { try await status.next() }

    /// As ``exitStatus()``, when it has ended already; `nil` while it runs. Any caller.
    package var statusAtEnd: Int32? { status.entries.first }

    /// Runs a command to its end.
    package static func run(_ arguments: String...) async throws {
        let child = try ChildProcess(arguments)
        guard try await child.exitStatus() == 0 else {
            let words = try await child.output.all() + child.errors.all()
            throw TestFailure("\(arguments.joined(separator: " ")): \(words.joined(separator: "; "))")
        }
    }
}

/// Starts `arguments[0]`, found by `PATH`.
///
/// - Parameters:
///   - actions: what becomes of its file descriptors.
///   - flags: further ones of `posix_spawnattr_setflags`.
func spawn(
    _ arguments: [String], environment: [String: String], _ actions: inout posix_spawn_file_actions_t, flags: Int32 = 0
) throws -> pid_t {
    // Threads of Swift's pool block signals, and a child inherits that: it would never see SIGTERM. libmosquitto ignores
    // SIGPIPE in its whole process, which is inherited as well.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | flags))

    // Where the box is installed nothing prints backtraces, and one of a debug build takes a minute to end for it.
    var variables = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C", "SWIFT_BACKTRACE": "enable=no"]
    variables.merge(environment) { _, new in new }
    var id: pid_t = 0
    let argv = arguments.map { strdup($0) } + [nil]
    let envp = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in argv + envp { free(text) } }
    let code = posix_spawnp(&id, arguments[0], &actions, &attributes, argv, envp)
    guard code == 0 else { throw TestFailure("cannot start \(arguments[0]): error \(code)") }
    return id
}

/// Writes a child's end into the journal, as `waitpid` reports it.
func awaitExit(of id: pid_t, _ status: Journal<Int32>) {
    startThread(named: "child-exit") {
        var code: Int32 = 0
        while waitpid(id, &code, 0) < 0, errno == EINTR {}
        status.append(code)
        status.finish()
    }
}

/// A pair of sockets instead of a pipe: close-on-exec from the start, so that no other child holds it open.
private struct Pair {
    let ours: Int32
    let theirs: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw TestFailure("socketpair failed: error \(errno)")
        }
        (ours, theirs) = (ends[0], ends[1])
    }
}

private func readLines(of descriptor: Int32, into journal: Journal<String>) {
    if let file = fdopen(descriptor, "r") {
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        while getline(&line, &capacity, file) > 0, let line {
            let text = String(cString: line)
            journal.append(text.hasSuffix("\n") ? String(text.dropLast()) : text)
        }
        free(line)
        fclose(file)
    }
    journal.finish()
}
