import Logging
import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxTesting
import Synchronization
import TestSupport
import VoiceTestSupport

@testable import SoundboxBox
@testable import SoundboxVoice

/// What carries out commands, with nothing behind it.
final class CommandFixture: Sendable {
    /// The volume as a restart would find it, oldest first.
    let kept = Journal<Volume>()
    let disk = Disk()
    let player: Player
    let state = BoxState(volume: Volume(80))
    /// What the announcer was asked for.
    let requests = AnnouncerRequests()
    let volume: VolumeControl
    let unprovisioning: Unprovisioning
    let commands: CommandHandler

    init() throws {
        let player = Player(
            sink: RecordingSink(), voices: Voices(first: try Voice.shipped()),
            volume: Volume(80))
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let files = ThreadExecutor(name: "files")
        volume = VolumeControl(
            player: player, least: Volume(0), state: state, logger: logger, executor: files, requests: requests,
            keeper: Remembered(
                read: { nil },
                write: { [kept, disk] volume in
                    disk.waitUntilItTakes()
                    kept.append(volume)
                }))
        unprovisioning = Unprovisioning(remove: { .removed }, logger: logger, executor: files)
        commands = CommandHandler(volume: volume, unprovisioning: unprovisioning, requests: requests)
        self.player = player
    }

    /// Has the volume written down until `body` has returned, and then to its end.
    func whileOpen(_ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { await self.volume.run() }
            try await body()
            group.cancelAll()
        }
    }
}

/// A disk that can hang.
final class Disk: Sendable {
    private let gate = BlockingQueue<Void>()
    private let isHanging = Atomic(false)

    func hang() { isHanging.store(true, ordering: .releasing) }
    func goOn() {
        isHanging.store(false, ordering: .releasing)
        gate.finish()
    }

    fileprivate func waitUntilItTakes() {
        if isHanging.load(ordering: .acquiring) { _ = gate.next() }
    }
}
