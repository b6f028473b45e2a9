import Glibc
import Logging
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import Synchronization
import TestSupport
import Testing

@testable import SoundboxBox
@testable import SoundboxConfiguration
@testable import SoundboxSetup

@Suite("Taken out of service by its buttons", .timeLimit(.minutes(10)))
struct UnprovisioningTests {
    private let folder: TemporaryFolder
    private let configurationFile: String
    private let clock = TestClock()

    init() throws {
        folder = try TemporaryFolder()
        configurationFile = folder.file("soundbox.yaml")
        try folder.write(
            "merchant_id: M\ndevice_id: b\nbroker: {url: \"mqtt://h\"}\nstate_directory: \(folder.file("state"))\n",
            to: "soundbox.yaml")
        try folder.write("hunter2\n", to: "broker.password")
        _ = try StateDirectory(path: folder.file("state"))
    }

    private func unprovisioning() throws -> Unprovisioning {
        Unprovisioning(
            remove: { [configurationFile, folder] in
                try SetupRemoval(of: configurationFile, stateDirectory: folder.file("state"))
            }, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, now: { [clock] in clock.now })
    }

    /// Ends as a box does that may not write where its setup is.
    private func leaveRequest() async throws {
        let unprovisioning = Unprovisioning(
            remove: { [configurationFile, folder] in
                try SetupRemoval(of: configurationFile, stateDirectory: folder.file("state")) { _ in
                    throw SetupError("read-only")
                }
            }, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        unprovisioning.heard(.unprovisionWarning)
        unprovisioning.perform()
        await unprovisioning.run()
        #expect(await unprovisioning.outcome == .requested)
        #expect(SmallFile.exists(configurationFile))
    }

    @Test("With the warning heard, the setup and its secrets are removed and the box ends")
    func removed() async throws {
        let unprovisioning = try unprovisioning()
        unprovisioning.warningIsDue()
        unprovisioning.heard(.unprovisionWarning)
        clock.advance(by: .seconds(3))
        unprovisioning.perform()
        await unprovisioning.run()
        #expect(await unprovisioning.outcome == .removed)
        #expect(!SmallFile.exists(configurationFile) && !SmallFile.exists(folder.file("broker.password")))
    }

    @Test(
        "Nothing is removed without a warning, after one that was not heard, another prompt, or one of long ago",
        arguments: [[], ["due"], ["heard", "due"], ["due", "other"], ["due", "heard", "wait"]])
    func unwarned(before: [String]) async throws {
        let unprovisioning = try unprovisioning()
        for step in before {
            switch step {
            case "due": unprovisioning.warningIsDue()
            case "heard": unprovisioning.heard(.unprovisionWarning)
            case "other": unprovisioning.heard(.volumeMinimum)
            default: clock.advance(by: .seconds(16))
            }
        }
        unprovisioning.perform()
        let run = Task { await unprovisioning.run() }
        run.cancel()
        await run.value
        #expect(await unprovisioning.outcome == nil)
        #expect(SmallFile.exists(configurationFile))
    }

    @Test("A box that may not remove its setup leaves a request, which the next start carries out, once")
    func requested() async throws {
        #expect(try Provisioning.resetIfRequested(configurationFile) == [])
        try await leaveRequest()
        let removed = try Provisioning.resetIfRequested(configurationFile)
        #expect(removed == [configurationFile, folder.file("broker.password")])
        #expect(!SmallFile.exists(folder.file("state/reset-requested")))
    }

    @Test(
        "What is no request of a regular file holds up no start and removes nothing: a pipe, a link, a folder",
        arguments: ["pipe", "link", "folder"])
    func planted(kind: String) async throws {
        try await leaveRequest()
        let request = folder.file("state/reset-requested")
        rename(request, folder.file("request"))
        switch kind {
        case "pipe": mkfifo(request, 0o666)
        case "link": symlink(folder.file("request"), request)
        default: mkdir(request, 0o755)
        }
        #expect(try Provisioning.resetIfRequested(configurationFile) == [])
        #expect(SmallFile.exists(configurationFile) && SmallFile.exists(folder.file("request")))
    }

    @Test("A setup that was made after the request stays, at the next start and at all that follow")
    func staleRequest() async throws {
        try await leaveRequest()
        let text = try SmallFile.read(configurationFile)
        try SmallFile.replace(configurationFile, with: text, mode: 0o640, owner: nil)
        #expect(try Provisioning.resetIfRequested(configurationFile) == [])
        #expect(SmallFile.exists(configurationFile))
        #expect(!SmallFile.exists(folder.file("state/reset-requested")))
    }
}

private final class TestClock: Sendable {
    private let time = Mutex(ContinuousClock.now)
    var now: ContinuousClock.Instant { time.withLock { $0 } }
    func advance(by duration: Duration) { time.withLock { $0 += duration } }
}
