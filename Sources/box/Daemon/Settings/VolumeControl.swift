import Logging
import ServiceLifecycle
import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxYAML

/// Changes volume and mute, with effect on what is playing. The volume is stored across restarts; mute is not, because
/// a restarted box is expected to speak.
///
/// Pinned to a thread that may block, because it writes to the disk.
actor VolumeControl: Service {
    /// The shortest time between two writes to the disk.
    static let rest = Duration.milliseconds(500)

    private let executor: ThreadExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let player: Player
    private let least: Volume
    private let keeper: Remembered<Volume>
    private let state: BoxState
    private let logger: Logger
    private let requests: AnnouncerRequests
    private let changes: AsyncStream<Void>
    private let hasChanged: AsyncStream<Void>.Continuation
    /// The last state that was stored and logged.
    private var remembered: Loudness

    /// - Parameters:
    ///   - least: where steps down stop.
    ///   - executor: where `keeper` is called.
    ///   - keeper: stores the volume across restarts.
    init(
        player: Player, least: Volume = Volume(0), state: BoxState, logger: Logger, executor: ThreadExecutor,
        requests: AnnouncerRequests, keeper: Remembered<Volume>
    ) {
        self.player = player
        self.least = least
        self.keeper = keeper
        self.state = state
        self.logger = logger
        self.executor = executor
        self.requests = requests
        (changes, hasChanged) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        remembered = Loudness(volume: player.volume, isMuted: player.isMuted)
    }

    /// The current volume and mute. Any thread; never blocks.
    nonisolated var loudness: Loudness { Loudness(volume: player.volume, isMuted: player.isMuted) }

    /// Changes volume or mute at once; ``run()`` stores and logs the change. Any thread; never blocks.
    /// - Returns: the result.
    @discardableResult
    nonisolated func apply(_ change: VolumeChange) -> Loudness {
        var after = loudness
        // Under the lock of the state, so that no change of another thread is lost.
        state.update { snapshot in
            snapshot.volume = change.applied(to: snapshot.volume, least: least)
            snapshot.isMuted = change.applied(toMuted: snapshot.isMuted)
            after = Loudness(volume: snapshot.volume, isMuted: snapshot.isMuted)
            player.volume = after.volume
            player.isMuted = after.isMuted
        }
        hasChanged.yield()
        if !after.isMuted, let prompt = change.prompt(at: after.volume, least: least) { requests.say(prompt) }
        return after
    }

    /// Changes volume or mute, and returns after the attempt to store the change.
    /// - Returns: the result.
    nonisolated func change(_ change: VolumeChange) async -> Loudness {
        let loudness = apply(change)
        await remember()
        return loudness
    }

    /// Logs and stores the current state if it has changed. A disk error is only logged.
    func remember() {
        let loudness = loudness
        guard loudness != remembered else { return }
        defer { remembered = loudness }
        logger.info("volume", metadata: ["level": "\(loudness.volume.level)", "muted": "\(loudness.isMuted)"])
        guard loudness.volume != remembered.volume else { return }
        do { try keeper.write(loudness.volume) } catch {
            logger.warning("the volume is not remembered", metadata: ["reason": "\(error)"])
        }
    }

    /// Stores changes until shutdown. In a burst of changes: the first, one every ``rest``, and the last.
    func run() async {
        for await _ in changes.cancelOnGracefulShutdown() {
            remember()
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.rest) }
        }
        remember()
    }
}

extension VolumeControl: Feature {
    init(in box: BoxContext) {
        self.init(
            player: box.player, least: box.settings.volume.least, state: box.state, logger: box.logger,
            executor: box.files, requests: box.requests, keeper: box.remembered(StateFile.volume))
    }

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
    /// The prompt for a key that has reached the end of the range, or is pressed again there.
    fileprivate func prompt(at volume: Volume, least: Volume) -> Prompt? {
        switch self {
        case .up where volume.level == Volume.range.upperBound: .volumeMaximum
        case .down where volume <= least: .volumeMinimum
        default: nil
        }
    }
}

// MARK: Settings

/// What of `audio:` is about the volume while the box runs.
package struct VolumeSettings: Sendable, Equatable {
    /// Where keys, and commands that name no volume, stop making it softer: one step above silence, so that a key
    /// pressed too often does not silence the box, also after a restart.
    package var least = Volume(10)
}

extension VolumeSettings {
    /// - Parameter audio: which the settings of the sound card share.
    init(reading audio: YAMLMapping) throws(YAMLError) {
        least = try audio.read("least_volume") { Volume(try $0.integer(in: Volume.range)) } ?? least
    }
}

/// A change of the volume by a command, a button or the page.
public enum VolumeChange: Sendable, Equatable {
    case to(Volume)
    case up
    case down
    /// Silences the box; the volume stays as it is.
    case mute
    case unmute

    /// - Parameter least: where ``down`` stops; a softer volume stays as it is.
    public func applied(to volume: Volume, least: Volume = Volume(0)) -> Volume {
        switch self {
        case .to(let volume): volume
        case .up: volume.louder()
        case .down: max(volume.softer(), min(volume, least))
        case .mute, .unmute: volume
        }
    }

    /// A louder or a given volume unmutes, since somebody wants to hear the box. A softer one does not.
    public func applied(toMuted isMuted: Bool) -> Bool {
        switch self {
        case .mute: true
        case .to, .up, .unmute: false
        case .down: isMuted
        }
    }
}

extension VolumeChange {
    /// A number 0–100, or `"up"`, `"down"`, `"mute"` or `"unmute"`.
    public init(decoding json: JSONValue?) throws(CommandError) {
        switch (json?.integer, json?.string) {
        case (let level?, _) where Volume.range.contains(level): self = .to(Volume(level))
        case (_, "up"): self = .up
        case (_, "down"): self = .down
        case (_, "mute"): self = .mute
        case (_, "unmute"): self = .unmute
        default:
            throw CommandError(
                reason: "volume: expected a whole number from 0 to 100, \"up\", \"down\", \"mute\" or \"unmute\"")
        }
    }

    public var json: JSONValue {
        switch self {
        case .to(let volume): .integer(volume.level)
        case .up: .string("up")
        case .down: .string("down")
        case .mute: .string("mute")
        case .unmute: .string("unmute")
        }
    }
}

/// The box's volume and mute.
public struct Loudness: Sendable, Equatable {
    /// In force again when the box is unmuted.
    public var volume: Volume
    public var isMuted: Bool

    public init(volume: Volume, isMuted: Bool) {
        self.volume = volume
        self.isMuted = isMuted
    }
}
