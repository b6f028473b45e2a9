import Logging
import SoundboxAudio
import SoundboxCore
import SoundboxSystem
import SoundboxTesting
import TestSupport
import VoiceTestSupport

@testable import SoundboxBox
@testable import SoundboxVoice

/// What carries out commands, with nothing behind it: what it was told to play and to say is kept.
struct CommandDesk: Sendable {
    /// What reached the announcer, with the volume that was in force then.
    enum Event: Sendable, Equatable {
        case play(Announcer.Request, at: Loudness)
        case say(Prompt, at: Loudness)
    }

    let folder: TemporaryFolder
    let player: Player
    let state = BoxState(volume: Volume(80))
    let events = Journal<Event>()
    let volume: VolumeControl
    let unprovisioning: Unprovisioning
    let mailbox: CommandMailbox

    var volumeFile: VolumeFile { VolumeFile(path: folder.file("volume")) }

    init() throws {
        let folder = try TemporaryFolder()
        let player = Player(
            sink: RecordingSink(), voices: Voices(first: try Voice(directory: "\(shippedSounds)/zh-CN")),
            volume: Volume(80))
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let files = ThreadExecutor(name: "files")
        let say: @Sendable (Prompt) -> Void = { [events] prompt in
            events.append(.say(prompt, at: Loudness(volume: player.volume, isMuted: player.isMuted)))
        }
        volume = VolumeControl(
            player: player, file: VolumeFile(path: folder.file("volume")), state: state, logger: logger,
            executor: files, say: say)
        unprovisioning = Unprovisioning(remove: { .removed }, logger: logger, executor: files)
        mailbox = CommandMailbox(
            volume: volume, unprovisioning: unprovisioning, logger: logger,
            play: { [events] request in
                events.append(.play(request, at: Loudness(volume: player.volume, isMuted: player.isMuted)))
            }, say: say)
        self.folder = folder
        self.player = player
    }

    /// Runs what takes commands until `body` has returned, and then to its end.
    func whileOpen(_ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { await mailbox.run() }
            group.addTask { await volume.run() }
            try await body()
            group.cancelAll()
        }
    }
}
