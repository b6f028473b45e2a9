import Glibc
import SoundboxCommandLine
import SoundboxConfiguration
import SoundboxCore
import SoundboxSetup
import SoundboxSystem

/// Runs a command that connects to the broker in a child of this process, so that a connection which ends the child is
/// reported in words.
///
/// libmosquitto aborts its process for an unknown property of MQTT 5. The child has the same arguments, terminal,
/// output and process group; only the wait is this process's.
enum ConnectingCommand {
    /// The subcommands that connect.
    private static let names: Set<String> = ["publish", "ring", "tell", "cancel", "doctor", "setup"]
    /// What a process gets for its own fault. Other signals come from outside, or for output that nobody reads.
    private static let faults = [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP]
    /// Set in the child's environment: the parent's process id.
    private static let parentKey = "SOUNDBOX_PARENT"

    /// - Returns: the exit code of the program; `nil` if this process carries out the command itself.
    static func runInChild() -> Int32? {
        if let parent = getenv(parentKey).flatMap({ pid_t(String(cString: $0)) }) {
            unsetenv(parentKey)
            // A child without its parent would go on holding its locks, and connect for somebody who has given up. The
            // parent may be gone already.
            return ParentProcess.endWithIt(parent) ? nil : EXIT_FAILURE
        }
        guard let name = CommandLine.arguments.dropFirst().first, names.contains(name) else { return nil }
        guard var ended = run([(parentKey, "\(getpid())")]) else { return nil }
        if name == "doctor", case .killed(let number) = ended, faults.contains(number) {
            // It looks at everything else, and reports this.
            ended = run([(parentKey, "\(getpid())"), (ConnectionEnd.key, "\(number)")]) ?? ended
        }
        switch ended {
        case .exited(let code): return code
        case .killed(let number) where !faults.contains(number):
            signal(number, SIG_DFL)
            raise(number)
            return EXIT_FAILURE
        case .killed(let number):
            printError(
                "\(ConnectionEnd(signal: number).reason(brokers: brokers)); whether the broker has taken what was sent is not known; "
                    + ConnectionEnd.advice)
            return EXIT_FAILURE
        }
    }

    private enum Ending {
        case exited(Int32)
        case killed(signal: Int32)
    }

    /// Runs the child to its end, and passes on what would end this process.
    /// - Returns: `nil` if no child could be started.
    private static func run(_ variables: [(key: String, value: String)]) -> Ending? {
        for (key, value) in variables { setenv(key, value, 1) }
        defer { for (key, _) in variables { unsetenv(key) } }
        // Pages of stack frames would hide the one line that helps.
        setenv("SWIFT_BACKTRACE", "enable=no", 0)
        var awaited = sigset_t()
        sigemptyset(&awaited)
        for number in [SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT] { sigaddset(&awaited, number) }
        var before = sigset_t()
        pthread_sigmask(SIG_BLOCK, &awaited, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setsigmask(&attributes, &before)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var child: pid_t = 0
        guard posix_spawn(&child, "/proc/self/exe", nil, &attributes, CommandLine.unsafeArgv, environ) == 0 else {
            return nil
        }
        var status: Int32 = 0
        while waitpid(child, &status, WNOHANG) == 0 {
            var number: Int32 = 0
            sigwait(&awaited, &number)
            if number != SIGCHLD { kill(child, number) }
        }
        // waitpid(2): the signal is in the low seven bits, the exit code in the next byte.
        return status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: status & 0x7F)
    }

    /// The brokers of the configuration that the command names.
    private static var brokers: [String] {
        var file = Configuration.defaultPath
        // The last one counts.
        for (argument, next) in zip(CommandLine.arguments, CommandLine.arguments.dropFirst() + [""]) {
            if ["--config", "-c"].contains(argument) { file = next }
            for start in ["--config=", "-c="] where argument.hasPrefix(start) {
                file = String(argument.dropFirst(start.count))
            }
        }
        return (try? Configuration(readingFile: file))
            .map { $0.broker.addresses.map(\.description) } ?? []
    }
}
