import SoundboxCore

/// What stands between a client and its broker. The descriptions are one line each and say what to do where that is
/// known.
public enum MQTTError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The settings cannot work: a file that cannot be read, a client id that MQTT forbids.
    case invalidSettings(reason: String)
    /// No connection came about: name lookup, TCP or TLS failed.
    case unreachable(broker: BrokerAddress, reason: String)
    /// The broker answered and does not want this client.
    case refused(broker: BrokerAddress, reason: String)
    /// The broker does not let this client listen to a topic.
    case subscriptionRefused(topic: String)
    /// The connection was there and ended.
    case connectionLost(reason: String)
    /// The broker, or whoever should have answered, stayed silent.
    case timedOut(waitingFor: String)
    /// What arrived could not be stored, so that nothing of it was acknowledged.
    case refusedByBox(reason: String)

    public var description: String {
        switch self {
        case .invalidSettings(let reason): reason
        case .unreachable(let broker, let reason): "cannot reach \(broker): \(reason)"
        case .refused(let broker, let reason): "\(broker) refuses the connection: \(reason)"
        case .subscriptionRefused(let topic):
            "the broker refuses the subscription to \"\(topic)\": let this user read it in the broker's access list"
        case .connectionLost(let reason): "connection lost: \(reason)"
        case .timedOut(let what): "timed out waiting for \(what)"
        case .refusedByBox(let reason): "the messages that arrived could not be stored: \(reason)"
        }
    }
}

extension MQTTError {
    /// Why a CONNACK says no (MQTT 3.1.1, table 3.1).
    static func refusal(by broker: BrokerAddress, code: UInt8) -> MQTTError {
        let reason =
            switch code {
            case 1: "it does not speak MQTT 3.1.1"
            case 2: "it does not accept this client id"
            case 3: "it is not available"
            case 4: "bad user name or password"
            case 5: "not authorised; check the user name, the password and the broker's access list"
            default: "code \(code)"
            }
        return .refused(broker: broker, reason: reason)
    }

    /// The broker has closed a connection that it had accepted.
    static let hangUp = MQTTError.connectionLost(reason: LinkFailure.closed.reason)
}
