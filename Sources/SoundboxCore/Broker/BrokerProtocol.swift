/// Which version of MQTT is spoken with a broker. The raw value is the word of the configuration.
public enum BrokerProtocol: String, Sendable, CaseIterable {
    /// MQTT 5 where the broker speaks it, 3.1.1 where it does not.
    case auto
    case v5 = "5"
    case v311 = "3.1.1"
}
