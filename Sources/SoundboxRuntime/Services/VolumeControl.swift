import Logging
import SoundboxAudio
import SoundboxCore
import SoundboxSystem

/// How loud the box is.
struct Loudness: Sendable, Equatable {
    /// In force again when the box is no longer muted.
    var volume: Volume
    var isMuted: Bool
}

/// The one place where volume and mute change: they act on what is playing. The volume is remembered across restarts;
/// mute is not, since a box that was restarted is expected to speak.
///
/// Pinned to a thread of its own, since it writes to the disk.
actor VolumeControl {
    private let executor = ThreadExecutor(name: "volume")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let player: Player
    private let file: VolumeFile
    private let state: BoxState
    private let logger: Logger
    private let say: @Sendable (Prompt) -> Void

    /// - Parameter say: takes a prompt to be spoken. Must not block.
    init(
        player: Player, file: VolumeFile, state: BoxState, logger: Logger, say: @escaping @Sendable (Prompt) -> Void
    ) {
        self.player = player
        self.file = file
        self.state = state
        self.logger = logger
        self.say = say
    }

    /// Never blocks.
    nonisolated var loudness: Loudness { Loudness(volume: player.volume, isMuted: player.isMuted) }

    /// - Returns: what is in force.
    @discardableResult
    func change(_ change: Command.VolumeChange) -> Loudness {
        let before = loudness
        let after = Loudness(
            volume: change.applied(to: before.volume), isMuted: change.applied(toMuted: before.isMuted))
        if after != before { apply(after, insteadOf: before) }
        if !after.isMuted, let prompt = change.prompt(at: after.volume) { say(prompt) }
        return after
    }

    private func apply(_ loudness: Loudness, insteadOf before: Loudness) {
        player.volume = loudness.volume
        player.isMuted = loudness.isMuted
        state.update { snapshot in
            snapshot.volume = loudness.volume
            snapshot.isMuted = loudness.isMuted
        }
        logger.info("volume", metadata: ["level": "\(loudness.volume.level)", "muted": "\(loudness.isMuted)"])
        guard loudness.volume != before.volume else { return }
        do throws(StateDirectoryError) { try file.write(loudness.volume) } catch {
            logger.warning("the volume is not remembered", metadata: ["reason": "\(error)"])
        }
    }
}

extension Command.VolumeChange {
    /// What to say to somebody whose key has reached the end, or is pressed there again.
    fileprivate func prompt(at volume: Volume) -> Prompt? {
        switch self {
        case .up where volume.level == Volume.range.upperBound: .volumeMaximum
        case .down where volume.level == Volume.range.lowerBound: .volumeMinimum
        default: nil
        }
    }
}
