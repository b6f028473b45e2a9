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
            guard Self.keys.contains(where: { $0[0] == group }) else {
                throw CommandError(
                    reason: "settings: \(group.excerpt) cannot be set from afar; expected some of \(Self.names)")
            }
            guard case .object(let members) = value else {
                throw CommandError(reason: "settings.\(group): expected an object with some of \(Self.names)")
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
    fileprivate func differsInMoreThanVolume(from other: RemoteSettings?) -> Bool {
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

/// The remote settings of a box: the newest, their result, and the settings before, which count while the newest are
/// not in force.
///
///     var record = SettingsRecord(owner: configuration.settingsOwner)
///     if try record.apply(settings, now: now) { try file.write(record) }
///
/// New settings are on trial until the box has been online with them. If that does not happen, or if the box does not
/// start with them, the settings before are restored: nobody has to visit a shop because of a setting.
public struct SettingsRecord: Sendable, Equatable {
    /// The merchant and device that they are for. A box that was set up for another owner begins without settings.
    public let owner: String
    /// The newest settings that came; `nil` if none ever came.
    public private(set) var newest: RemoteSettings?
    /// Their result.
    public private(set) var result = SettingsStatus.Result.applied
    /// Why they are not in force.
    public private(set) var reason: String?
    /// Whether a box was started with the settings on trial.
    public private(set) var isTried = false
    /// The settings in force when the newest came, while these are on trial or have failed.
    private var before: RemoteSettings?
    /// The volume before settings changed it: from `soundbox.yaml`, or what the shop has set since.
    private var shopVolume: Volume?
    /// The volume that settings have stored as the box's, or were storing when the power failed; `nil` while the
    /// settings in force have none. If the box has this volume, the shop has not changed it.
    public private(set) var writtenVolume: Volume?

    public init(owner: String) { self.owner = owner }

    /// The settings to start a box with.
    public var current: RemoteSettings? { result == .failed ? before : newest }

    public var inForce: RemoteSettings? { result == .applied ? newest : before }

    /// The volume that belongs to the settings in force; `nil` if none was set.
    public var volume: Volume? { inForce?.volume ?? shopVolume }

    /// Call it before new settings are taken, and before those on trial come into force.
    /// - Parameter volume: the box's volume. It is the shop's own unless settings have set it.
    public mutating func record(_ volume: Volume) {
        if volume != inForce?.volume, volume != writtenVolume { shopVolume = volume }
    }

    /// Call it, and store the record, before a volume is stored for settings; and again when that is done.
    public mutating func willWrite(_ volume: Volume?) { writtenVolume = volume }

    /// Takes new settings, which have to be checked. They are on trial; if only the volume differs, they have the state
    /// of those before.
    ///
    /// - Parameter now: the time, if a server has confirmed it. Settings with a later time, taken while the time was
    ///   unknown, then do not block newer ones.
    /// - Returns: `false` when these settings came before.
    /// - Throws: for settings that are not the newest, or that came before and are not in force.
    public mutating func apply(_ settings: RemoteSettings, now: Timestamp? = nil) throws(CommandError) -> Bool {
        if settings == newest {
            guard result != .failed else { throw CommandError(reason: "settings: not in force: \(reason ?? "")") }
            return false
        }
        if let newest, newest.at >= settings.at {
            let isImpossible = now.map { newest.at.duration(since: $0) > CommandArrival.window } ?? false
            guard isImpossible else {
                throw CommandError(
                    reason: "at: \(settings.at) is not later than \(newest.at), the time of newer settings")
            }
        }
        if settings.differsInMoreThanVolume(from: current) {
            (before, result, isTried) = (inForce, .trial, false)
        } else if result == .failed {
            (before, result) = (nil, .applied)
        }
        (newest, reason) = (settings, nil)
        return true
    }

    /// A box is about to be started.
    public mutating func willStart() {
        guard result == .trial else { return }
        if isTried { fail("the box ended before it was online with them") } else { isTried = true }
    }

    /// The box is online with the settings on trial.
    public mutating func cameOnline() { (before, result) = (nil, .applied) }

    /// The newest settings cannot be used. The first reason is kept.
    public mutating func fail(_ reason: String) {
        if result != .failed { (result, self.reason) = (.failed, reason) }
    }

    public var status: SettingsStatus? { newest.map { SettingsStatus(id: $0.id, at: $0.at, result, reason: reason) } }
}

// MARK: On the disk

extension SettingsRecord {
    public var json: JSONValue {
        .object([
            ("owner", .string(owner)), ("newest", newest?.json ?? .null), ("result", .string(result.rawValue)),
            ("reason", reason.map { .string($0) } ?? .null), ("tried", .bool(isTried)),
            ("before", before?.json ?? .null), ("shop_volume", shopVolume.map { .integer($0.level) } ?? .null),
            ("written_volume", writtenVolume.map { .integer($0.level) } ?? .null),
        ])
    }

    /// Reads ``json``; `nil` for anything else.
    public init?(decoding json: JSONValue) {
        guard let owner = json["owner"]?.string, let isTried = json["tried"]?.bool,
            let result = json["result"]?.string.flatMap(SettingsStatus.Result.init)
        else { return nil }
        (self.owner, self.result, self.isTried, reason) = (owner, result, isTried, json["reason"]?.string)
        newest = json["newest"].flatMap(RemoteSettings.init(decoding:))
        before = json["before"].flatMap(RemoteSettings.init(decoding:))
        shopVolume = json["shop_volume"]?.integer.map { Volume($0) }
        writtenVolume = json["written_volume"]?.integer.map { Volume($0) }
    }
}
