import ArgumentParser
import Glibc

extension AsyncParsableCommand {
    /// Runs the program with this root command, and exits. Call ``StandardOutput/open(program:)`` before.
    ///
    /// Help and version go to standard output with code 0; every error is one line on standard error: bad usage with
    /// code 64 (EX_USAGE of sysexits.h), anything else with 1. Commands that are not async run on the main thread.
    @MainActor
    public static func runProgram() async -> Never {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            exit(for: error)
        }
        Glibc.exit(StandardOutput.close(EXIT_SUCCESS))
    }

    private static func exit(for error: any Error) -> Never {
        let code = exitCode(for: error)
        if code == .success {
            printLine(fullMessage(for: error))
            Glibc.exit(StandardOutput.close(EXIT_SUCCESS))
        }
        if let code = error as? ExitCode { Glibc.exit(StandardOutput.close(code.rawValue)) }
        let hint = code == .validationFailure ? " Try: \(_commandName) --help" : ""
        let message = message(for: error).split(separator: "\n").joined(separator: " ")
        printError("\(message)\(hint)")
        Glibc.exit(StandardOutput.close(code == .validationFailure ? EX_USAGE : EXIT_FAILURE))
    }
}
