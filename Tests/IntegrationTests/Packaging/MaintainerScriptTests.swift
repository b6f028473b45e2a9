import Glibc
import TestSupport
import Testing

/// The scripts of the package, as root runs them, in a mount name space with a `/run` of its own. What they ask of systemd
/// is written down instead.
@Suite("The package's scripts", .timeLimit(.minutes(10)), .enabled("needs root and unshare") { await canUnshare() })
struct MaintainerScriptTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// - Parameters:
    ///   - before: shell commands that make `/run` what it is to be.
    ///   - after: shell commands whose output is returned.
    /// - Returns: the exit code; 124 when the script did not come to its end; and what `after` printed.
    private func run(
        _ script: String, _ arguments: String, before: String, after: String = "true"
    ) async throws -> (code: Int32, output: [String]) {
        let stubs = folder.file("stubs")
        try await ChildProcess.run("mkdir", "-p", stubs)
        for tool in [
            "deb-systemd-invoke", "deb-systemd-helper", "systemd-sysusers", "systemd-tmpfiles", "systemctl", "udevadm",
        ] {
            try folder.write("#!/bin/sh\necho \"\(tool) $*\" >>\(folder.file("asked"))\n", to: "stubs/\(tool)")
            chmod("\(stubs)/\(tool)", 0o755)
        }
        let commands = """
            set -e
            mount -t tmpfs -o mode=755 tmpfs /run
            \(before)
            code=0
            PATH="\(stubs):$PATH" timeout 60 sh "\(Products.project)/provisioning/debian/\(script)" \(arguments) || code=$?
            \(after)
            exit $code
            """
        let child = try ChildProcess(["unshare", "--mount", "--propagation", "private", "sh", "-c", commands])
        let status = try await child.exitStatus()
        return (status >> 8, try await child.output.all())
    }

    private var asked: [String] {
        let bytes = (try? folder.read("asked")) ?? []
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test(
        "Nothing that the service's user puts into its folder holds up an upgrade or is written to",
        arguments: [
            "mkfifo /run/soundbox/updating", "ln -s \"$victim\" /run/soundbox/updating",
            "ln \"$victim\" /run/soundbox/updating", "mkdir /run/soundbox/updating",
            "mkfifo /run/soundbox/soundbox-updating", "rm -r /run/soundbox; ln -s /run/other /run/soundbox",
        ])
    func planted(plant: String) async throws {
        let result = try await run(
            "prerm", "upgrade 99",
            before: """
                mkdir /run/other
                install -d -o 12345 -g 12345 /run/soundbox
                victim=/run/other/updating
                echo precious >"$victim"
                \(plant)
                """,
            after: "cat /run/other/updating; ls /run | grep updating || true")
        #expect(result.code == 0)
        #expect(result.output.first == "precious")
        #expect(result.output.dropFirst().allSatisfy { $0 == "soundbox-updating" })
    }

    @Test("The light of a running box is told of an upgrade, and of its end, whether it went well or not")
    func mark() async throws {
        let begun = try await run("prerm", "upgrade 99", before: "mkdir /run/soundbox", after: "ls -l /run")
        #expect(begun.output.contains { $0.hasSuffix(" soundbox-updating") && $0.contains(" root root ") })
        for arguments in ["configure 0.1.0", "abort-upgrade 99"] {
            let ended = try await run(
                "postinst", arguments, before: "mkdir -p /run/systemd/system; touch /run/soundbox-updating",
                after: "ls /run")
            #expect(ended.code == 0 && ended.output == ["systemd"])
        }
    }

    @Test("A voice that is upgraded by itself restarts a box that runs, and starts none that does not")
    func voice() async throws {
        #expect(
            try await run("postinst", "triggered /usr/share/soundbox/sounds", before: "mkdir -p /run/systemd/system")
                .code == 0)
        #expect(asked == ["deb-systemd-invoke try-restart soundbox.service"])
    }

    @Test("Without systemd nothing is asked of it")
    func withoutSystemd() async throws {
        #expect(try await run("postinst", "triggered /usr/share/soundbox/sounds", before: "true").code == 0)
        #expect(asked == [])
    }
}

private func canUnshare() async -> Bool {
    (try? await ChildProcess.run("unshare", "--mount", "--propagation", "private", "true")) != nil && geteuid() == 0
}
