/// A message of the commands topic, read and not yet judged:
/// `{"id":"c-1","at":"2026-11-21T10:15:00+08:00","type":"volume","volume":80}`.
public struct CommandMessage: Sendable, Equatable {
    /// A larger message is refused unread.
    public static let maximumPayloadBytes = 4096

    public enum Action: Sendable, Equatable {
        case perform(Command)
        /// `payment_id`: do not speak a payment that still waits.
        case cancel(PaymentID)
    }

    public var id: CommandID?
    /// When it was sent.
    public var at: Timestamp?
    public var action: Action

    public init(id: CommandID? = nil, at: Timestamp? = nil, action: Action) {
        self.id = id
        self.at = at
        self.action = action
    }

    /// Unknown fields are ignored, `null` counts as absent.
    public init(decoding payload: [UInt8]) throws(CommandError) {
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
            action = try Action(decoding: json)
        } catch { throw CommandError(id: id, reason: error.reason) }
    }
}

extension CommandMessage.Action {
    fileprivate init(decoding json: JSONValue) throws(CommandError) {
        switch json["type"]?.string {
        case "replay": self = .perform(.play(.last))
        case "volume": self = .perform(.volume(try Command.VolumeChange(decoding: json["volume"])))
        case "cancel":
            guard let text = json["payment_id"]?.string else {
                throw CommandError(reason: "payment_id: expected the id of a payment")
            }
            do { self = .cancel(try PaymentID(text)) } catch { throw CommandError(reason: "payment_id: \(error)") }
        case let type?:
            throw CommandError(reason: "type: \(type.excerpt) is unknown; expected replay, volume or cancel")
        case nil: throw CommandError(reason: "type: expected a string such as \"replay\"")
        }
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
                throw CommandError(reason: "at: expected a time such as 2026-11-21T10:15:00+08:00 (RFC 3339)")
            }
            return time
        }
    }
}
