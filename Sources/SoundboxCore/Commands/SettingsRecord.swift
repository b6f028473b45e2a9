/// What a box remembers of the settings that it was given from afar: the newest, what became of them, and those before
/// them, which count while they are not in force.
///
/// New ones are on trial until the box has been online with them. When that does not come, or the box does not start with
/// them, those before them are in force again: nobody has to visit a shop because of a setting.
public struct SettingsRecord: Sendable, Equatable {
    /// Whose they are: merchant and device. A box that was set up for somebody else begins without any.
    public let owner: String
    /// The newest settings that came; `nil` where `soundbox.yaml` has always counted alone.
    public private(set) var newest: RemoteSettings?
    /// What became of them.
    public private(set) var result = SettingsStatus.Result.applied
    /// Why they are not in force.
    public private(set) var reason: String?
    /// Of those on trial: whether a box was made with them.
    public private(set) var isTried = false
    /// What was in force when the newest came, while these are on trial or have failed.
    private var before: RemoteSettings?
    /// The volume that the box had before settings set one: of `soundbox.yaml`, or what the shop has set since.
    private var shopVolume: Volume?
    /// The volume that settings have written down as the box's, or were about to when the power failed; `nil` while those
    /// in force have none. If the box has it, it is not the shop's.
    public private(set) var writtenVolume: Volume?

    public init(owner: String) { self.owner = owner }

    /// The ones to make a box with.
    public var current: RemoteSettings? { result == .failed ? before : newest }

    public var inForce: RemoteSettings? { result == .applied ? newest : before }

    /// The volume that goes with those in force; `nil` where nobody has set one.
    public var volume: Volume? { inForce?.volume ?? shopVolume }

    /// To be called before new settings are taken, and before those on trial come into force.
    /// - Parameter volume: what the box has. It is the shop's own unless settings have set it.
    public mutating func note(_ volume: Volume) {
        if volume != inForce?.volume, volume != writtenVolume { shopVolume = volume }
    }

    /// To be called, and kept, before a volume is written down for settings, and once more when that is done.
    public mutating func willWrite(_ volume: Volume?) { writtenVolume = volume }

    /// New settings have come, to be checked. They are on trial, or, where only the volume is another one, what those
    /// before them are.
    ///
    /// - Parameter now: the time, where a server has confirmed it. Settings of its future, taken while nobody knew the time,
    ///   shut out none then.
    /// - Returns: `false` when they came before.
    /// - Throws: for settings that are not the newest, or came before and are not in force.
    public mutating func take(_ settings: RemoteSettings, now: Timestamp? = nil) throws(CommandError) -> Bool {
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

    /// A box is about to be made.
    public mutating func willStart() {
        guard result == .trial else { return }
        if isTried { fail("the box ended before it was online with them") } else { isTried = true }
    }

    /// The box is online with those on trial.
    public mutating func cameOnline() { (before, result) = (nil, .applied) }

    /// The newest cannot be used. Of several reasons the first counts.
    public mutating func fail(_ reason: String) {
        if result != .failed { (result, self.reason) = (.failed, reason) }
    }

    public var status: SettingsStatus? { newest.map { SettingsStatus($0, result, reason: reason) } }
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

    /// As ``json`` writes it; `nil` for anything else.
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

/// What the box tells of the settings that came last.
public struct SettingsStatus: Sendable, Equatable {
    public enum Result: String, Sendable, CaseIterable {
        case applied
        /// In use, and not kept until the box has been online with them.
        case trial
        /// Not in force: those before them are, or `soundbox.yaml` alone.
        case failed
    }

    public var id: CommandID
    public var at: Timestamp
    public var result: Result
    public var reason: String?

    init(_ settings: RemoteSettings, _ result: Result, reason: String? = nil) {
        (id, at, self.result, self.reason) = (settings.id, settings.at, result, reason)
    }

    var json: JSONValue {
        .object(
            [("id", .string(id.text)), ("at", .string("\(at)")), ("result", .string(result.rawValue))]
                + (reason.map { [("reason", .string($0))] } ?? []))
    }

    init?(decoding json: JSONValue) {
        guard let id = json["id"]?.string.flatMap({ try? CommandID($0) }),
            let at = json["at"]?.string.flatMap(Timestamp.init(rfc3339:)),
            let result = json["result"]?.string.flatMap(Result.init)
        else { return nil }
        (self.id, self.at, self.result, reason) = (id, at, result, json["reason"]?.string)
    }

    /// For people; `nil` unless they are not in force.
    public var warning: String? {
        guard result == .failed else { return nil }
        return "the settings \(id) from afar are not in force: \(reason ?? "no reason known")"
    }

    var summary: String { "\(id), \(result.rawValue)\(reason.map { ": \($0)" } ?? "")" }
}
