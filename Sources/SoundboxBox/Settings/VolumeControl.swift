import Logging
import ServiceLifecycle
import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem

/// The one place where volume and mute change: they act on what is playing. The volume is remembered across restarts;
/// mute is not, since a box that was restarted is expected to speak.
///
/// Runs on a thread that may block, since it writes to the disk.
actor VolumeControl: Service {
    /// Between two writes to the disk while changes keep coming.
    static let rest = Duration.milliseconds(500)

    private let executor: ThreadExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let player: Player
    private let keep: @Sendable (Volume) throws -> Void
    private let state: BoxState
    private let logger: Logger
    private let requests: AnnouncerRequests
    private let changes: AsyncStream<Void>
    private let hasChanged: AsyncStream<Void>.Continuation
    /// What the disk and the log know.
    private var remembered: Loudness

    /// - Parameters:
    ///   - executor: where `keep` is called.
    ///   - keep: has the volume remembered across restarts. May block.
    init(
        player: Player, state: BoxState, logger: Logger, executor: ThreadExecutor,
        requests: AnnouncerRequests, keep: @escaping @Sendable (Volume) throws -> Void
    ) {
        self.player = player
        self.keep = keep
        self.state = state
        self.logger = logger
        self.executor = executor
        self.requests = requests
        (changes, hasChanged) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        remembered = Loudness(volume: player.volume, isMuted: player.isMuted)
    }

    /// What is in force. Never blocks; any thread.
    nonisolated var loudness: Loudness { Loudness(volume: player.volume, isMuted: player.isMuted) }

    /// Changes it at once; ``run()`` passes the change on to the disk and the log. Never blocks; any thread.
    /// - Returns: what is in force.
    @discardableResult
    nonisolated func apply(_ change: VolumeChange) -> Loudness {
        var after = loudness
        // Under the lock of the state, so that no change from another thread is lost.
        state.update { snapshot in
            snapshot.volume = change.applied(to: snapshot.volume)
            snapshot.isMuted = change.applied(toMuted: snapshot.isMuted)
            after = Loudness(volume: snapshot.volume, isMuted: snapshot.isMuted)
            player.volume = after.volume
            player.isMuted = after.isMuted
        }
        hasChanged.yield()
        if !after.isMuted, let prompt = change.prompt(at: after.volume) { requests.say(prompt) }
        return after
    }

    /// Changes it, and returns when the change is on the disk.
    /// - Returns: what is in force.
    nonisolated func change(_ change: VolumeChange) async -> Loudness {
        let loudness = apply(change)
        await remember()
        return loudness
    }

    /// Returns when what is in force is on the disk.
    func remember() {
        let loudness = loudness
        guard loudness != remembered else { return }
        defer { remembered = loudness }
        logger.info("volume", metadata: ["level": "\(loudness.volume.level)", "muted": "\(loudness.isMuted)"])
        guard loudness.volume != remembered.volume else { return }
        do { try keep(loudness.volume) } catch {
            logger.warning("the volume is not remembered", metadata: ["reason": "\(error)"])
        }
    }

    /// Writes changes down until shutdown: a burst at its beginning, every ``rest`` and at its end.
    func run() async {
        for await _ in changes.cancelOnGracefulShutdown() {
            remember()
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.rest) }
        }
        remember()
    }
}

extension VolumeControl: Feature {
    nonisolated var routes: [ControlRoute] {
        [
            ControlRoute(.get, "volume") { _ in .json(self.loudness.json) },
            ControlRoute(.put, "volume", isForPhones: true) { request in
                let json = try JSONValue(parsing: request.body)
                return .json(await self.change(try VolumeChange(decoding: json["volume"])).json)
            },
        ]
    }

    nonisolated var metricFamilies: [MetricFamily] {
        let snapshot = state.snapshot
        return [
            MetricFamily(
                "soundbox_volume_ratio", .gauge, "The volume that is set, 0 to 1, muted or not.",
                Double(snapshot.volume.level) / 100),
            MetricFamily(
                "soundbox_muted", .gauge, "Whether somebody has muted the box.", snapshot.isMuted ? 1 : 0),
        ]
    }

    nonisolated func fill(_ status: inout BoxStatus) {
        let snapshot = state.snapshot
        (status.volume, status.isMuted) = (snapshot.volume.level, snapshot.isMuted)
    }
}

extension Loudness {
    fileprivate var json: JSONValue { .object([("volume", .integer(volume.level)), ("muted", .bool(isMuted))]) }
}

extension VolumeChange {
    /// What to say to somebody who has reached the end of the range with a key, or presses it there again.
    fileprivate func prompt(at volume: Volume) -> Prompt? {
        switch self {
        case .up where volume.level == Volume.range.upperBound: .volumeMaximum
        case .down where volume.level == Volume.range.lowerBound: .volumeMinimum
        default: nil
        }
    }
}
