/// What the box reports about the newest settings.
public struct SettingsStatus: Sendable, Equatable {
    public enum Result: String, Sendable, CaseIterable {
        case applied
        /// In use, and not final until the box has been online with them.
        case trial
        /// Not in force: the settings before are, or `soundbox.yaml` alone.
        case failed
    }

    public var id: CommandID
    public var at: Timestamp
    public var result: Result
    public var reason: String?

    package init(id: CommandID, at: Timestamp, _ result: Result, reason: String? = nil) {
        (self.id, self.at, self.result, self.reason) = (id, at, result, reason)
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

    /// A text for people; `nil` unless they are not in force.
    public var warning: String? {
        guard result == .failed else { return nil }
        return "the settings \(id) from afar are not in force: \(reason ?? "no reason known")"
    }

    var summary: String { "\(id), \(result.rawValue)\(reason.map { ": \($0)" } ?? "")" }
}
