import SoundboxCore

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
