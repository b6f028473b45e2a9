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
        /// Room for two digits is left, and none for more.
        let refusesRecords = Mutex(false)
        /// Every record but the first.
        let refusesSecondRecord = Mutex(false)
        let refusals = Journal<Bool>()
        /// The last that was kept, and what was in the record at that moment.
        let volume = Mutex<(Volume, Volume?)?>(nil)

        func write(_ record: SettingsRecord) throws {
            if isFull.withLock({ $0 }) || refusesRecords.withLock({ $0 }) {
                refusals.append(true)
                throw Full()
            }
            if refusesSecondRecord.withLock({ $0 }), self.record.withLock({ $0 }) != nil { throw Full() }
            self.record.withLock { $0 = record }
        }

        func keep(_ volume: Volume) throws {
            if isFull.withLock({ $0 }) {
                refusals.append(true)
                throw Full()
            }
            // What is known already sets no volume when it comes again, after a power cut.
            self.volume.withLock { $0 = (volume, record.withLock { $0?.current?.volume }) }
        }
    }

    private struct Store: SettingsStore {
        let record: SettingsRecord
        let problem: String?
        let disk: Disk

        func problem(with settings: RemoteSettings) -> String? { problem }
        func write(_ record: SettingsRecord) throws { try disk.write(record) }
        func keep(_ volume: Volume) throws { try disk.keep(volume) }
    }

    private let disk = Disk()
    private let state = BoxState(volume: Volume(80))
    private let volumes = Journal<Volume>()

    private func service(
        _ record: SettingsRecord = SettingsRecord(owner: "M/b"), timeout: Duration = .seconds(3600),
        problem: String? = nil
    ) -> RemoteSettingsService {
        RemoteSettingsService(
            store: Store(record: record, problem: problem, disk: disk), state: state,
            clock: BoxClock(newestKnown: nil),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            executor: ThreadExecutor(name: "files"), timeout: timeout,
            setVolume: { [volumes, state] volume in
                state.update { $0.volume = volume }
                volumes.append(volume)
            })
    }

    private func settings(_ id: String, at: Int64, _ values: String) throws -> RemoteSettings {
        try RemoteSettings(
            id: CommandID(id), at: Timestamp(millisecondsSince1970: at), values: JSONValue(parsing: Array(values.utf8)))
    }

    private func onTrial() throws -> SettingsRecord {
        var record = SettingsRecord(owner: "M/b")
        _ = try record.apply(settings("s-1", at: 1, #"{"audio":{"volume":30},"voice":{"locale":"en-US"}}"#))
        record.willStart()
        return record
    }

    @Test("They end the box once they are on the disk, to be tried")
    func taken() async throws {
        let service = service()
        #expect(service.apply(try settings("s-1", at: 1, #"{"voice":{"locale":"en-US"}}"#)) == nil)
        #expect(disk.record.withLock { $0?.result == .trial && $0?.isTried == false })
        await service.run()
        #expect(await service.ending == .remade)
        #expect(state.snapshot.settings?.result == .trial && volumes.entries.isEmpty)
    }

    @Test("A volume alone acts at once and ends nothing")
    func volume() async throws {
        let service = service()
        #expect(service.apply(try settings("s-1", at: 1, #"{"audio":{"volume":30}}"#)) == nil)
        #expect(volumes.entries == [Volume(30)] && state.snapshot.settings?.result == .applied)
        #expect(disk.volume.withLock { $0?.0 == Volume(30) && $0?.1 == nil })
        let running = Task { await service.run() }
        running.cancel()
        await running.value
        #expect(await service.ending == nil)
    }

    @Test(
        "Settings that set no volume give back what the shop had, unless it has changed the volume since",
        arguments: [(nil, [30, 40, 80]), (60, [30, 40])] as [(Int?, [Int])])
    func volumeGivenBack(changed: Int?, expected: [Int]) throws {
        let service = service()
        #expect(service.apply(try settings("s-1", at: 1, #"{"audio":{"volume":30}}"#)) == nil)
        #expect(service.apply(try settings("s-2", at: 2, #"{"audio":{"volume":40}}"#)) == nil)
        if let changed { state.update { $0.volume = Volume(changed) } }
        // The box may have been restarted meanwhile.
        let record = try #require(disk.record.withLock { $0 })
        let later = self.service(try #require(SettingsRecord(decoding: record.json)))
        #expect(later.apply(try settings("s-3", at: 3, "{}")) == nil)
        #expect(volumes.entries == expected.map { Volume($0) })
        #expect(disk.volume.withLock { $0?.0 } == Volume(changed ?? 80))
    }

    @Test("A power cut behind their volume, or settings that can be used no more, do not make it the shop's own")
    func volumeLeftBehind() throws {
        // The record as it is when the volume is written: the power fails before the next one.
        let service = service()
        disk.refusesSecondRecord.withLock { $0 = true }
        #expect(service.apply(try settings("s-1", at: 1, #"{"audio":{"volume":30}}"#)) != nil)
        var record = try #require(disk.record.withLock { $0 })
        disk.refusesSecondRecord.withLock { $0 = false }
        #expect(record.newest == nil)
        record.record(Volume(30))
        #expect(record.volume == nil)

        var later = SettingsRecord(owner: "M/b")
        later.record(Volume(80))
        _ = try later.apply(settings("s-1", at: 1, #"{"audio":{"volume":30}}"#))
        later.willWrite(Volume(30))
        later.fail("the voice is gone")
        later.record(Volume(30))
        #expect(later.volume == Volume(80))
    }

    @Test("A volume on trial, also one that came during the trial, acts when they are in force and no sooner")
    func volumeOnTrial() async throws {
        let service = service(try onTrial())
        #expect(
            service.apply(try settings("s-2", at: 2, #"{"audio":{"volume":40},"voice":{"locale":"en-US"}}"#)) == nil)
        #expect(volumes.entries.isEmpty)
        let running = Task { await service.run() }
        state.update { $0.connection = .subscribed }
        #expect(try await volumes.next() == Volume(40))
        #expect(service.apply(try settings("s-3", at: 3, "{}")) == nil)
        running.cancel()
        await running.value
        var record = try #require(disk.record.withLock { $0 })
        record.willStart()
        let later = self.service(record)
        state.update { $0.connection = .connecting }
        let trying = Task { await later.run() }
        state.update { $0.connection = .subscribed }
        #expect(try await volumes.next() == Volume(80))
        trying.cancel()
        await trying.value
    }

    @Test("A year that cannot be shuts out none that come later, whether or not anybody knows the time")
    func impossibleTime() throws {
        let service = service()
        let far: Int64 = 253_402_300_799_000
        #expect(service.apply(try settings("s-1", at: far, "{}"))?.hasPrefix("at: 9999-12-31") == true)
        #expect(service.apply(try settings("s-2", at: 5, #"{"audio":{"volume":30}}"#)) == nil)
        // As an earlier version has kept them.
        var record = SettingsRecord(owner: "M/b")
        _ = try record.apply(settings("s-1", at: far, "{}"))
        #expect(self.service(record).apply(try settings("s-2", at: 5, #"{"audio":{"volume":31}}"#)) == nil)
        #expect(volumes.entries == [Volume(30), Volume(31)])
    }

    @Test("What cannot be used, is outdated or cannot be kept is refused with the reason, and changes nothing")
    func refused() throws {
        let good = try settings("s-1", at: 5, #"{"voice":{"locale":"en-US"}}"#)
        #expect(service(problem: "settings.voice.locale: none").apply(good) == "settings.voice.locale: none")
        disk.isFull.withLock { $0 = true }
        let service = service()
        #expect(service.apply(good)?.hasPrefix("settings: cannot be kept: ") == true)
        #expect(disk.record.withLock { $0 } == nil && state.snapshot.settings == nil)
        disk.isFull.withLock { $0 = false }
        #expect(service.apply(good) == nil && service.apply(good) == nil)
        let older = try settings("s-0", at: 4, "{}")
        #expect(service.apply(older)?.hasPrefix("at: ") == true)
    }

    @Test("A volume whose settings cannot be kept is not the next start's either")
    func refusedVolume() throws {
        disk.refusesRecords.withLock { $0 = true }
        #expect(service().apply(try settings("s-1", at: 5, #"{"audio":{"volume":41}}"#)) != nil)
        #expect(disk.volume.withLock { $0?.0 } == state.snapshot.volume && volumes.entries.isEmpty)
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
        #expect(await service.ending == nil)
    }

    @Test("A box that is not online with them in time gives them up, and is made anew without them")
    func late() async throws {
        let service = service(try onTrial(), timeout: .milliseconds(1))
        await service.run()
        #expect(await service.ending == .remade)
        let kept = try #require(disk.record.withLock { $0 })
        #expect(kept.current == nil && kept.reason?.contains("not online") == true)
        #expect(volumes.entries.isEmpty)
    }

    @Test("A box that was online with them keeps them, although the disk had no room for that at first")
    func onlineOnAFullDisk() async throws {
        disk.isFull.withLock { $0 = true }
        let service = service(try onTrial(), timeout: .milliseconds(20))
        let running = Task { await service.run() }
        state.update { $0.connection = .subscribed }
        // When it came online, and later than the trial may take.
        for _ in 1...3 { _ = try await disk.refusals.next() }
        #expect(disk.record.withLock { $0 } == nil && volumes.entries.isEmpty)
        disk.isFull.withLock { $0 = false }
        #expect(try await volumes.next() == Volume(30))
        #expect(disk.record.withLock { $0 }?.inForce?.id.text == "s-1" && state.snapshot.settings?.result == .applied)
        running.cancel()
        await running.value
        #expect(await service.ending == nil)
    }

    @Test("They wait for the end of a ring that somebody may still answer")
    func ringing() async throws {
        let service = service()
        let ring = BoxState.Ring(id: try CommandID("r-1"), text: "Table 5", deadline: .zero)
        state.update { $0.ring = ring }
        #expect(service.apply(try settings("s-1", at: 1, #"{"voice":{"locale":"en-US"}}"#)) == nil)
        let ended = OneTimeSignal()
        let running = Task {
            await service.run()
            ended.signal()
        }
        try await Task.sleep(for: .milliseconds(50))
        #expect(!ended.hasHappened)
        state.update { $0.ring = nil }
        await running.value
        #expect(await service.ending == .remade)
    }

    @Test("Settings that are not in force are not told to be when they come again")
    func knownAndFailed() throws {
        var record = try onTrial()
        record.fail("the box was not online")
        let again = try settings("s-1", at: 1, #"{"audio":{"volume":30},"voice":{"locale":"en-US"}}"#)
        #expect(service(record).apply(again) == "settings: not in force: the box was not online")
    }

    @Test("A disk that does not take it at first gives them up later")
    func lateOnAFullDisk() async throws {
        disk.isFull.withLock { $0 = true }
        let service = service(try onTrial(), timeout: .milliseconds(1))
        let running = Task { await service.run() }
        disk.isFull.withLock { $0 = false }
        await running.value
        #expect(await service.ending == .remade && disk.record.withLock { $0?.result == .failed })
    }
}
