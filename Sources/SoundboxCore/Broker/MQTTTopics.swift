/// The four topics of one box.
public struct MQTTTopics: Sendable, Equatable {
    /// Payment notices, to the box.
    public let payments: String
    /// Commands, to the box.
    public let commands: String
    /// What became of each notice, from the box.
    public let receipts: String
    /// Whether the box is there and how it is, from the box; retained.
    public let status: String

    /// Topics of the form `{prefix}/{merchant}/{device}/payments`.
    ///
    /// - Parameters:
    ///   - prefix: one or more levels, without a slash at either end.
    ///   - merchant: one level.
    ///   - device: one level.
    /// - Throws: when a level is empty or holds `+`, `#`, `/` or a control character. A merchant named `+` would
    ///   otherwise subscribe to the payments of every merchant on the broker.
    public init(prefix: String = "soundbox/v1", merchant: String, device: String) throws(MQTTTopicsError) {
        for level in prefix.split(separator: "/", omittingEmptySubsequences: false) {
            try Self.check(level, "topic prefix", prefix)
        }
        try Self.check(merchant[...], "merchant id", merchant)
        try Self.check(device[...], "device id", device)
        let base = "\(prefix)/\(merchant)/\(device)"
        guard base.utf8.count <= 60_000 else {
            throw MQTTTopicsError(name: "topic prefix", value: "\(prefix.prefix(40))…", reason: "it is too long")
        }
        payments = "\(base)/payments"
        commands = "\(base)/commands"
        receipts = "\(base)/receipts"
        status = "\(base)/status"
    }

    private static func check(_ level: Substring, _ name: String, _ value: String) throws(MQTTTopicsError) {
        guard !level.isEmpty else { throw MQTTTopicsError(name: name, value: value, reason: "a level is empty") }
        for scalar in level.unicodeScalars {
            if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) {
                throw MQTTTopicsError(name: name, value: value, reason: "it holds a control character")
            }
            if "+#/".unicodeScalars.contains(scalar) {
                throw MQTTTopicsError(name: name, value: value, reason: "it holds \"\(scalar)\"")
            }
        }
    }
}

/// A name that cannot be part of a topic.
public struct MQTTTopicsError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Which of the parts it is: topic prefix, merchant id or device id.
    public var name: String
    public var value: String
    public var reason: String

    public var description: String { "\(name) \"\(value)\" cannot stand in an MQTT topic: \(reason)" }
}
