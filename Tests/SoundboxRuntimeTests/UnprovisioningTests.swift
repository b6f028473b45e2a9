import Foundation
import Logging
import SoundboxCore
import Synchronization
import TestSupport
import Testing

@testable import SoundboxRuntime

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
    }

    private func unprovisioning(of file: String? = nil) throws -> Unprovisioning {
        Unprovisioning(
            configurationFile: file ?? configurationFile,
            directory: try StateDirectory(path: folder.file("state")),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, now: { [clock] in clock.now })
    }

    @Test("With the warning heard, the setup and its secrets are removed and the box ends")
    func removed() async throws {
        let unprovisioning = try unprovisioning()
        await unprovisioning.warningIsDue()
        await unprovisioning.heard(.unprovisionWarning)
        clock.advance(by: .seconds(3))
        await unprovisioning.perform()
        await unprovisioning.run()
        #expect(await unprovisioning.isDone)
        #expect(!SmallFile.exists(configurationFile) && !SmallFile.exists(folder.file("broker.password")))
    }

    @Test(
        "Nothing is removed without a warning, after one that was not heard, another prompt, or one of long ago",
        arguments: [[], ["due"], ["heard", "due"], ["due", "other"], ["due", "heard", "wait"]])
    func unwarned(before: [String]) async throws {
        let unprovisioning = try unprovisioning()
        for step in before {
            switch step {
            case "due": await unprovisioning.warningIsDue()
            case "heard": await unprovisioning.heard(.unprovisionWarning)
            case "other": await unprovisioning.heard(.volumeMinimum)
            default: clock.advance(by: .seconds(16))
            }
        }
        await unprovisioning.perform()
        let run = Task { await unprovisioning.run() }
        run.cancel()
        await run.value
        #expect(await !unprovisioning.isDone)
        #expect(SmallFile.exists(configurationFile))
    }

    @Test("A box that may not remove its setup leaves a request, which the next start carries out, once")
    func requested() async throws {
        // A folder in place of the file cannot be unlinked by anybody, root included.
        try FileManager.default.createDirectory(
            atPath: folder.file("immovable/soundbox.yaml"), withIntermediateDirectories: true)
        let unprovisioning = try unprovisioning(of: folder.file("immovable/soundbox.yaml"))
        #expect(try Provisioning.resetIfRequested(configurationFile) == [])
        await unprovisioning.heard(.unprovisionWarning)
        await unprovisioning.perform()
        await unprovisioning.run()
        #expect(await unprovisioning.isDone)
        #expect(SmallFile.exists(StateDirectory.resetRequest(in: folder.file("state"))))

        let removed = try Provisioning.resetIfRequested(configurationFile)
        #expect(removed == [configurationFile, folder.file("broker.password")])
        #expect(!SmallFile.exists(StateDirectory.resetRequest(in: folder.file("state"))))
    }
}

private final class TestClock: Sendable {
    private let time = Mutex(ContinuousClock.now)
    var now: ContinuousClock.Instant { time.withLock { $0 } }
    func advance(by duration: Duration) { time.withLock { $0 += duration } }
}
