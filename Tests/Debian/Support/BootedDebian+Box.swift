import SoundboxCore
import TestSupport

/// The box as the service of a booted Debian: set up, fed and asked from inside.
extension BootedDebian {
    /// Waits until a command of one line succeeds; `Guest/agent.sh` has functions for it.
    /// - Parameter seconds: of the guest's time. Generous: nothing here is a promise of how fast the box is.
    /// - Throws: ``TestFailure`` with the box's log.
    func wait(until command: String, within seconds: Int = 120) async throws {
        do { try await run("await \(seconds) eval '\(command.replacing("'", with: #"'\''"#))'") } catch {
            // A machine that has died has no log to show, and that it died is what must be told.
            guard let log = try? await log(all: true) else { throw error }
            throw TestFailure("\(error); the box's log:\n\(log.suffix(60).joined(separator: "\n"))")
        }
    }

    /// Waits until so many lines of the box's log begin with this, since ``mark()`` if that was called after the boot.
    func logged(_ words: String, count: Int = 1, within seconds: Int = 120) async throws {
        try await wait(until: "logged \(count) \"\(words)\"", within: seconds)
    }

    /// From here on ``logged(_:count:within:)`` and ``log(all:)`` tell of what is new.
    func mark() async throws { try await run("mark") }

    /// What the box has said, without the times.
    /// - Parameter all: also before ``mark()``, and in earlier boots.
    func log(all: Bool = false) async throws -> [String] {
        try await run(all ? "journalctl --unit soundbox --quiet --output cat" : "box_log")
    }

    /// The payments that the box began to speak since ``mark()``, in order.
    var begunAnnouncements: [String] {
        // The journal has the time and the level, so that a line begins with the event.
        get async throws { announcementsBegun(in: try await log().map { " " + $0 }) }
    }

    /// Publishes a payment at the guest's own broker, which has it when this returns.
    func pay(_ id: String, _ amount: String) async throws { try await run("pay '\(id)' '\(amount)'") }

    /// What `soundbox status` tells.
    var status: BoxStatus {
        get async throws {
            let text = try await run("soundbox status --json").joined()
            guard let status = BoxStatus(decoding: try JSONValue(parsing: Array(text.utf8))) else {
                throw TestFailure("this is no status: \(text)")
            }
            return status
        }
    }

    /// What `soundbox doctor --json`, as root, finds at this level (`red`, `amber` or `green`).
    func findings(_ level: String) async throws -> [String] {
        let text = try await run("soundbox doctor --json || true").joined()
        guard case .array(let findings)? = try JSONValue(parsing: Array(text.utf8))["findings"] else {
            throw TestFailure("this is no report: \(text)")
        }
        return findings.filter { $0["level"]?.string == level }.compactMap { $0["detail"]?.string }
    }

    /// Changes the setup as the manual says, which restarts the box.
    func setUp(_ options: String) async throws {
        try await run("soundbox setup --yes --skip-checks --skip-sound \(options)")
    }
}
