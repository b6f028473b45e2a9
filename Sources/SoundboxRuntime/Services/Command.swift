import SoundboxAudio
import SoundboxCore

/// What the box can be told from outside: by the commands topic, by the control socket, by its buttons.
enum Command: Sendable, Equatable {
    enum VolumeChange: Sendable, Equatable {
        case to(Volume)
        case up
        case down

        func applied(to volume: Volume) -> Volume {
            switch self {
            case .to(let volume): volume
            case .up: volume.louder()
            case .down: volume.softer()
            }
        }
    }

    case play(Announcer.Request)
    case volume(VolumeChange)

    /// Reads a message of the commands topic: `{"id":"…","type":"replay"}`, `{"id":"…","type":"volume","volume":80}`.
    init(decoding payload: [UInt8]) throws(CommandError) {
        guard payload.count <= 4096 else { throw CommandError(reason: "longer than 4096 bytes") }
        let json: JSONValue
        do { json = try JSONValue(parsing: payload) } catch { throw CommandError(reason: "\(error)") }
        switch json["type"]?.string {
        case "replay": self = .play(.last)
        case "volume": self = .volume(try VolumeChange(decoding: json["volume"]))
        case let type?: throw CommandError(reason: "type: \"\(type.prefix(40))\" is unknown; expected replay or volume")
        case nil: throw CommandError(reason: "type: expected a string such as \"replay\"")
        }
    }
}

extension Command.VolumeChange {
    /// A number 0–100, or `"up"` or `"down"`.
    init(decoding json: JSONValue?) throws(CommandError) {
        switch (json?.integer, json?.string) {
        case (let level?, _) where Volume.range.contains(level): self = .to(Volume(level))
        case (_, "up"): self = .up
        case (_, "down"): self = .down
        default: throw CommandError(reason: "volume: expected a whole number from 0 to 100, \"up\" or \"down\"")
        }
    }

    var json: JSONValue {
        switch self {
        case .to(let volume): .integer(volume.level)
        case .up: .string("up")
        case .down: .string("down")
        }
    }
}

/// A command that is none. Names the field.
struct CommandError: Error, Equatable, CustomStringConvertible {
    var reason: String
    var description: String { reason }
}
