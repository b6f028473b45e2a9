import Logging
import SoundboxAudio
import SoundboxCore
import SoundboxSystem
import Synchronization

/// The one place where volume and mute change: they act on what is playing. The volume is remembered across restarts;
/// mute is not, since a box that was restarted is expected to speak.
///
/// Pinned to a thread of its own, since it writes to the disk.
actor VolumeControl {
    /// Between two writes to the disk while changes keep coming.
    static let rest = Duration.milliseconds(500)

    private let executor = ThreadExecutor(name: "volume")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let player: Player
    private let file: VolumeFile
    private let state: BoxState
    private let logger: Logger
    private let say: @Sendable (Prompt) -> Void
    private let requests = Mutex(Requests())
    /// What the disk and the log know.
    private var noted: Loudness

    fileprivate struct Requests {
        /// Changes were made that have not been noted.
        var areUnnoted = false
        var areBeingNoted = false
    }

    /// - Parameter say: takes a prompt to be spoken. Must not block.
    init(
        player: Player, file: VolumeFile, state: BoxState, logger: Logger, say: @escaping @Sendable (Prompt) -> Void
    ) {
        self.player = player
        self.file = file
        self.state = state
        self.logger = logger
        self.say = say
        noted = Loudness(volume: player.volume, isMuted: player.isMuted)
    }

    /// Never blocks.
    nonisolated var loudness: Loudness { Loudness(volume: player.volume, isMuted: player.isMuted) }

    /// Changes it at once; the disk and the log learn of it as soon as they can.
    ///
    /// Never blocks; any thread. However many come, nothing waits for its turn: each acts on what the one before has
    /// left, and a burst is written down once.
    nonisolated func request(_ change: Command.VolumeChange) {
        _ = apply(change)
        let isFirst = requests.withLock { requests in
            requests.areUnnoted = true
            defer { requests.areBeingNoted = true }
            return !requests.areBeingNoted
        }
        if isFirst { Task { await noteRequests() } }
    }

    /// Changes it, and returns when the disk knows.
    /// - Returns: what is in force.
    @discardableResult
    func change(_ change: Command.VolumeChange) -> Loudness {
        let loudness = apply(change)
        note()
        return loudness
    }

    private nonisolated func apply(_ change: Command.VolumeChange) -> Loudness {
        // Under the lock, so that no step is lost between two threads.
        let (before, after) = requests.withLock { _ in
            let before = loudness
            let after = Loudness(
                volume: change.applied(to: before.volume), isMuted: change.applied(toMuted: before.isMuted))
            player.volume = after.volume
            player.isMuted = after.isMuted
            return (before, after)
        }
        if after != before {
            state.update { snapshot in
                snapshot.volume = after.volume
                snapshot.isMuted = after.isMuted
            }
        }
        if !after.isMuted, let prompt = change.prompt(at: after.volume) { say(prompt) }
        return after
    }

    private func noteRequests() async {
        while requests.withLock({ $0.mustBeNoted() }) {
            note()
            try? await Task.sleep(for: Self.rest)
        }
    }

    private func note() {
        let loudness = loudness
        guard loudness != noted else { return }
        defer { noted = loudness }
        logger.info("volume", metadata: ["level": "\(loudness.volume.level)", "muted": "\(loudness.isMuted)"])
        guard loudness.volume != noted.volume else { return }
        do throws(FileError) { try file.write(loudness.volume) } catch {
            logger.warning("the volume is not remembered", metadata: ["reason": "\(error)"])
        }
    }
}

extension VolumeControl.Requests {
    /// Whether something is to be noted now; otherwise nobody notes any longer.
    fileprivate mutating func mustBeNoted() -> Bool {
        defer { areUnnoted = false }
        areBeingNoted = areUnnoted
        return areUnnoted
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
