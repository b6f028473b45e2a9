/// What a box remembers of the settings that it was given from afar.
///
/// New ones are on trial until the box has been online with them. When that does not come, or the box does not start with
/// them, those before them are in force again: nobody has to visit a shop because of a setting.
public struct SettingsRecord: Sendable, Equatable {
    /// New settings, and whether a box was made with them.
    public struct Trial: Sendable, Equatable {
        public var settings: RemoteSettings
        public var isTried: Bool
    }

    /// Settings that were not kept.
    public struct Failure: Sendable, Equatable {
        public var settings: RemoteSettings
        public var reason: String
    }

    /// Whose they are: merchant and device. A box that was set up for somebody else begins without any.
    public let owner: String
    /// `nil` where `soundbox.yaml` counts alone.
    public private(set) var inForce: RemoteSettings?
    public private(set) var trial: Trial?
    /// Of the newest settings, when they were not kept.
    public private(set) var failure: Failure?
    /// The volume that the box had before settings set one: of `soundbox.yaml`, or what the shop has set since.
    public private(set) var shopVolume: Volume?
    /// Why this box cannot use those in force. Each start finds that out anew.
    public private(set) var obstacle: String?

    public init(owner: String) { self.owner = owner }

    /// The newest settings that came, whatever became of them.
    public var newest: RemoteSettings? { trial?.settings ?? failure?.settings ?? inForce }

    /// The ones to use.
    public var current: RemoteSettings? { trial?.settings ?? inForce }

    /// The volume that goes with those in force; `nil` where nobody has set one.
    public var volume: Volume? { inForce?.volume ?? shopVolume }

    /// To be called before new settings are taken, and before those on trial come into force.
    /// - Parameter volume: what the box has. It is the shop's own unless settings have set it.
    public mutating func note(_ volume: Volume) {
        // A power cut while those on trial came into force leaves their volume.
        if volume != inForce?.volume, volume != trial?.settings.volume { shopVolume = volume }
    }

    public enum Verdict: Sendable, Equatable {
        /// They came before.
        case known
        /// Later ones came before them.
        case outdated(newest: Timestamp)
        /// In force at once.
        case taken
        /// On trial; a box has to be made with them.
        case onTrial
    }

    /// New settings have come. They are valid.
    ///
    /// - Parameter now: the time, where a server has confirmed it. Settings of its future, taken while nobody knew the time,
    ///   shut out none then.
    public mutating func take(_ settings: RemoteSettings, now: Timestamp? = nil) -> Verdict {
        if let newest {
            if newest == settings { return .known }
            let isImpossible = now.map { newest.at.duration(since: $0) > CommandArrival.window } ?? false
            guard newest.at < settings.at || isImpossible else { return .outdated(newest: newest.at) }
        }
        failure = nil
        guard settings.differsInMoreThanVolume(from: current) else {
            // On trial, they take the place of those before them.
            if trial == nil { inForce = settings } else { trial?.settings = settings }
            return .taken
        }
        trial = Trial(settings: settings, isTried: false)
        return .onTrial
    }

    /// A box is about to be made.
    public mutating func willStart() {
        guard let trial else { return }
        guard !trial.isTried else { return fail("the box ended before it was online with them") }
        self.trial?.isTried = true
    }

    /// The box is online.
    /// - Returns: the settings that are in force from now on; `nil` when none were on trial.
    public mutating func cameOnline() -> RemoteSettings? {
        guard let settings = trial?.settings else { return nil }
        (inForce, trial) = (settings, nil)
        return settings
    }

    /// Those on trial are given up. Without such, those in force cannot be used.
    public mutating func fail(_ reason: String) {
        guard let settings = trial?.settings else { return obstacle = reason }
        (failure, trial) = (Failure(settings: settings, reason: reason), nil)
    }

    /// Why the newest settings are not in force; `nil` when they are, or are on trial.
    public var shortcoming: String? { trial == nil ? failure?.reason ?? obstacle : nil }

    public var status: SettingsStatus? {
        if let trial { return SettingsStatus(trial.settings, .trial) }
        if let failure { return SettingsStatus(failure.settings, .failed, reason: failure.reason) }
        return inForce.map { SettingsStatus($0, obstacle == nil ? .applied : .failed, reason: obstacle) }
    }
}

// MARK: On the disk

extension SettingsRecord {
    public var json: JSONValue {
        .object([
            ("owner", .string(owner)), ("in_force", inForce?.json ?? .null),
            ("shop_volume", shopVolume.map { .integer($0.level) } ?? .null),
            (
                "trial",
                trial.map { .object([("settings", $0.settings.json), ("tried", .bool($0.isTried))]) } ?? .null
            ),
            (
                "failure",
                failure.map { .object([("settings", $0.settings.json), ("reason", .string($0.reason))]) } ?? .null
            ),
        ])
    }

    /// As ``json`` writes it; `nil` for anything else. A part that makes no sense counts as missing.
    public init?(decoding json: JSONValue) {
        guard let owner = json["owner"]?.string else { return nil }
        self.init(owner: owner)
        inForce = json["in_force"].flatMap(RemoteSettings.init(decoding:))
        shopVolume = json["shop_volume"]?.integer.map { Volume($0) }
        if let trial = json["trial"], let settings = trial["settings"].flatMap(RemoteSettings.init(decoding:)),
            let isTried = trial["tried"]?.bool
        {
            self.trial = Trial(settings: settings, isTried: isTried)
        }
        if let failure = json["failure"], let settings = failure["settings"].flatMap(RemoteSettings.init(decoding:)),
            let reason = failure["reason"]?.string
        {
            self.failure = Failure(settings: settings, reason: reason)
        }
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
