/// The version of MQTT to use with a broker. The raw value is the word of the configuration.
public enum BrokerProtocol: String, Sendable, CaseIterable {
    /// MQTT 5 if the broker speaks it, else 3.1.1.
    case auto
    case v5 = "5"
    case v311 = "3.1.1"
}
