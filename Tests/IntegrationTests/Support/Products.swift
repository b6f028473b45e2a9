import Foundation
import TestSupport

/// What this build made, and what this source tree holds.
enum Products {
    /// The executables, beside the test runner.
    static let soundbox = product("soundbox")
    static let speak = product("soundbox-speak")
    static let voicetools = product("soundbox-voicetools")
    static let gateway = product("soundbox-gateway")

    static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    static let sounds = "\(project)/sounds"
    static let board = "\(project)/board"
    static let page = "\(project)/Sources/page/browser"

    private static func product(_ name: String) -> String {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: name).path
    }
}

/// Runs a command of the box to its end.
func soundbox(
    _ arguments: String..., environment: [String: String] = [:], input: String = ""
) async throws -> CommandResult {
    try await result(of: [Products.soundbox] + arguments, environment: environment, input: input)
}

/// Runs a command of the voice author's program to its end.
func voicetools(_ arguments: String..., environment: [String: String] = [:]) async throws -> CommandResult {
    try await result(of: [Products.voicetools] + arguments, environment: environment)
}

func result(
    of command: [String], environment: [String: String] = [:], input: String = ""
) async throws -> CommandResult {
    let child = try ChildProcess(command, environment: environment, input: input)
    let status = try await child.exitStatus()
    return CommandResult(
        // The exit code is in the high byte (waitpid(2)).
        code: status >> 8, output: try await child.output.all(), errors: try await child.errors.all())
}

struct CommandResult: Equatable {
    var code: Int32
    var output: [String]
    var errors: [String]
}
