import Logging
import SoundboxAudio
import SoundboxSystem

/// The one place where the volume changes: it acts on what is playing, and is remembered across restarts.
///
/// Pinned to a thread of its own, since it writes to the disk.
actor VolumeControl {
    private let executor = ThreadExecutor(name: "volume")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let player: Player
    private let file: VolumeFile
    private let state: BoxState
    private let logger: Logger

    init(player: Player, file: VolumeFile, state: BoxState, logger: Logger) {
        self.player = player
        self.file = file
        self.state = state
        self.logger = logger
    }

    /// - Returns: the volume in force.
    @discardableResult
    func change(_ change: Command.VolumeChange) -> Volume {
        let volume = change.applied(to: player.volume)
        guard volume != player.volume else { return volume }
        player.volume = volume
        state.update { $0.volume = volume }
        logger.info("volume", metadata: ["level": "\(volume.level)"])
        do throws(StateDirectoryError) { try file.write(volume) } catch {
            logger.warning("the volume is not remembered", metadata: ["reason": "\(error)"])
        }
        return volume
    }
}
