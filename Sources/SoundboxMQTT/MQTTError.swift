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
