import Logging
import SoundboxCore
import SoundboxSystem
import Synchronization
import TestSupport
import Testing

@testable import SoundboxBox

@Suite("Settings from afar, as a box takes them", .timeLimit(.minutes(10)))
struct RemoteSettingsServiceTests {
    /// What stands for the file of the settings.
    private final class Disk: Sendable {
        struct Full: Error {}
        let record = Mutex<SettingsRecord?>(nil)
        let isFull = Mutex(false)

        func write(_ record: SettingsRecord) throws {
            if isFull.withLock({ $0 }) { throw Full() }
            self.record.withLock { $0 = record }
        }
    }

    private let disk = Disk()
    private let state = BoxState(volume: Volume(80))
    private let volumes = Journal<Volume>()

    private func service(
        _ record: SettingsRecord = SettingsRecord(owner: "M/b"), patience: Duration = .seconds(3600),
        problem: String? = nil
    ) -> RemoteSettingsService {
        RemoteSettingsService(
            desk: SettingsDesk(record: record, problem: { _ in problem }, write: disk.write), state: state,
            clock: BoxClock(newestKnown: nil),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            executor: ThreadExecutor(name: "files"), patience: patience, setVolume: { [volumes] in volumes.append($0) })
    }

    private func settings(_ id: String, at: Int64, _ values: String) throws -> RemoteSettings {
        try RemoteSettings(
            id: CommandID(id), at: Timestamp(millisecondsSince1970: at), values: JSONValue(parsing: Array(values.utf8)))
    }

    private func onTrial() throws -> SettingsRecord {
        var record = SettingsRecord(owner: "M/b")
        _ = record.take(try settings("s-1", at: 1, #"{"audio":{"volume":30},"voice":{"locale":"en-US"}}"#))
        record.willStart()
        return record
    }

    @Test("They end the box once they are on the disk, to be tried")
    func taken() async throws {
        let service = service()
        #expect(service.take(try settings("s-1", at: 1, #"{"voice":{"locale":"en-US"}}"#)) == nil)
        #expect(disk.record.withLock { $0 }?.trial?.starts == 0)
        await service.run()
        #expect(await service.hasChanged)
        #expect(state.snapshot.settings?.result == .trial && volumes.entries.isEmpty)
    }

    @Test("A volume alone acts at once and ends nothing")
    func volume() async throws {
        let service = service()
        #expect(service.take(try settings("s-1", at: 1, #"{"audio":{"volume":30}}"#)) == nil)
        #expect(volumes.entries == [Volume(30)] && state.snapshot.settings?.result == .applied)
        let running = Task { await service.run() }
        running.cancel()
        await running.value
        #expect(await !service.hasChanged)
    }

    @Test("What cannot be used, is outdated or cannot be kept is refused with the reason, and changes nothing")
    func refused() throws {
        let good = try settings("s-1", at: 5, #"{"voice":{"locale":"en-US"}}"#)
        #expect(service(problem: "settings.voice.locale: none").take(good) == "settings.voice.locale: none")
        disk.isFull.withLock { $0 = true }
        let service = service()
        #expect(service.take(good)?.hasPrefix("settings: cannot be kept") == true)
        #expect(disk.record.withLock { $0 } == nil && state.snapshot.settings == nil)
        disk.isFull.withLock { $0 = false }
        #expect(service.take(good) == nil && service.take(good) == nil)
        let older = try settings("s-0", at: 4, "{}")
        #expect(service.take(older)?.hasPrefix("at: ") == true)
    }

    @Test("They are in force when the box is online with them, and their volume acts then")
    func online() async throws {
        let service = service(try onTrial())
        let running = Task { await service.run() }
        state.update { $0.connection = .subscribed }
        #expect(try await volumes.next() == Volume(30))
        #expect(disk.record.withLock { $0 }?.inForce?.id.text == "s-1" && state.snapshot.settings?.result == .applied)
        running.cancel()
        await running.value
        #expect(await !service.hasChanged)
    }

    @Test("A box that is not online with them in time gives them up, and is made anew without them")
    func late() async throws {
        let service = service(try onTrial(), patience: .milliseconds(1))
        await service.run()
        #expect(await service.hasChanged)
        let kept = try #require(disk.record.withLock { $0 })
        #expect(kept.current == nil && kept.failure?.reason.contains("not online") == true)
        #expect(volumes.entries.isEmpty)
    }

    @Test("A disk that does not take it at first gives them up later")
    func lateOnAFullDisk() async throws {
        disk.isFull.withLock { $0 = true }
        let service = service(try onTrial(), patience: .milliseconds(1))
        let running = Task { await service.run() }
        disk.isFull.withLock { $0 = false }
        await running.value
        #expect(await service.hasChanged && disk.record.withLock { $0 }?.trial == nil)
    }
}
