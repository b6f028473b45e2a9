import SoundboxCore

/// Settings that the fleet's operator sends to a box: a few keys of `soundbox.yaml`, which replace the values there.
/// Keys that they do not contain keep the value of `soundbox.yaml`, even if earlier settings contained them.
public struct RemoteSettings: Sendable, Equatable {
    /// The keys that may be set remotely. None of them changes whom the box trusts, or where it gets its payments from.
    public static let keys: [[String]] = [
        ["audio", "volume"], ["voice", "locale"], ["voice", "speaker"], ["announce", "quiet_hours"],
        ["announce", "prompts"], ["announce", "expire_after"],
    ]

    public var id: CommandID
    /// When they were sent. The newest settings count.
    public var at: Timestamp
    /// By ``keys``, in the shape of `soundbox.yaml`. Only the volume is checked here.
    public var values: JSONValue

    /// - Throws: names a key that may not be set remotely, or an invalid volume.
    public init(id: CommandID, at: Timestamp, values: JSONValue) throws(CommandError) {
        guard case .object(let groups) = values else {
            throw CommandError(reason: "settings: expected an object such as {\"audio\":{\"volume\":60}}")
        }
        for (group, value) in groups {
            guard case .object(let members) = value, Self.keys.contains(where: { $0[0] == group }) else {
                throw CommandError(
                    reason: "settings: \(group.excerpt) cannot be set from afar; expected some of \(Self.names)")
            }
            for (name, _) in members where !Self.keys.contains([group, name]) {
                throw CommandError(
                    reason:
                        "settings.\(group): \(name.excerpt) cannot be set from afar; expected some of \(Self.names)")
            }
        }
        let volume = values["audio"]?["volume"]
        guard volume == nil || volume == .null || volume?.integer.map(Volume.range.contains) == true else {
            throw CommandError(reason: "settings.audio.volume: expected a whole number from 0 to 100")
        }
        (self.id, self.at, self.values) = (id, at, values)
    }

    /// Reads a command of the type `settings`, which needs its id and its time.
    public init(command json: JSONValue) throws(CommandError) {
        guard let text = json["id"]?.string else {
            throw CommandError(reason: "id: this field is missing, and settings need it")
        }
        let id: CommandID
        do { id = try CommandID(text) } catch { throw CommandError(reason: "id: \(error)") }
        guard let time = json["at"], time != .null else {
            throw CommandError(reason: "at: this field is missing, and settings need it")
        }
        guard let at = time.string.flatMap(Timestamp.init(rfc3339:)) else {
            throw CommandError(reason: "at: \(Timestamp.expected(time.string))")
        }
        guard let values = json["settings"], values != .null else {
            throw CommandError(reason: "settings: expected an object such as {\"audio\":{\"volume\":60}}")
        }
        try self.init(id: id, at: at, values: values)
    }

    private static var names: String { keys.map { $0.joined(separator: ".") }.joined(separator: ", ") }

    /// The value of a key; `null` removes the value of `soundbox.yaml`.
    public subscript(key: [String]) -> JSONValue? { values[key[0]]?[key[1]] }

    /// The volume, which the shop may change afterwards; `nil` restores the shop's own.
    public var volume: Volume? {
        self[["audio", "volume"]]?.integer.map { Volume($0) }
    }

    /// Whether a box with `other` must be restarted to use these: of all keys only the volume acts at once.
    public func differsInMoreThanVolume(from other: RemoteSettings?) -> Bool {
        Self.keys.contains { $0 != ["audio", "volume"] && self[$0] != other?[$0] }
    }

    var json: JSONValue {
        .object([("id", .string(id.text)), ("at", .string("\(at)")), ("values", values)])
    }

    init?(decoding json: JSONValue) {
        guard let id = json["id"]?.string.flatMap({ try? CommandID($0) }),
            let at = json["at"]?.string.flatMap(Timestamp.init(rfc3339:)), let values = json["values"],
            let settings = try? RemoteSettings(id: id, at: at, values: values)
        else { return nil }
        self = settings
    }
}
