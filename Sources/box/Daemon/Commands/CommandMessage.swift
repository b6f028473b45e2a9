import SoundboxCore

/// A message of the commands topic, before ``CommandJudge`` accepts it:
///
///     let message = try CommandMessage(decoding: payload)
///     // {"id":"c-1","at":"2026-11-21T10:15:00+08:00","type":"volume","volume":80}
public struct CommandMessage: Sendable, Equatable {
    /// A larger message is refused unread. The longest clip address and the longest text fit, even if JSON escapes
    /// every character.
    public static let maximumPayloadBytes = 8192

    public var id: CommandID?
    /// When it was sent.
    public var at: Timestamp?
    public var command: Command

    public init(id: CommandID? = nil, at: Timestamp? = nil, command: Command) {
        self.id = id
        self.at = at
        self.command = command
    }

    /// Unknown fields are ignored; `null` counts as absent.
    /// - Parameter kinds: the kinds of notices beside payments and refunds.
    public init(decoding payload: [UInt8], kinds: Set<KindName> = []) throws(CommandError) {
        guard payload.count <= Self.maximumPayloadBytes else {
            throw CommandError(reason: "payload: longer than \(Self.maximumPayloadBytes) bytes")
        }
        let json: JSONValue
        do { json = try JSONValue(parsing: payload) } catch { throw CommandError(reason: "payload: \(error)") }
        guard case .object = json else {
            throw CommandError(reason: "payload: expected a JSON object, found \(json.kind)")
        }
        let id = try json.commandID
        self.id = id
        do throws(CommandError) {
            at = try json.commandTime
            command = try Command(decoding: json, kinds: kinds)
        } catch { throw CommandError(id: id, reason: error.reason, isUnknown: error.isUnknown) }
    }
}

extension JSONValue {
    fileprivate var commandID: CommandID? {
        get throws(CommandError) {
            guard let value = self["id"], value != .null else { return nil }
            guard let text = value.string else {
                throw CommandError(reason: "id: expected a string, found \(value.kind)")
            }
            do { return try CommandID(text) } catch { throw CommandError(reason: "id: \(error)") }
        }
    }

    fileprivate var commandTime: Timestamp? {
        get throws(CommandError) {
            guard let value = self["at"], value != .null else { return nil }
            guard let time = value.string.flatMap(Timestamp.init(rfc3339:)) else {
                throw CommandError(reason: "at: \(Timestamp.expected(value.string))")
            }
            return time
        }
    }
}
