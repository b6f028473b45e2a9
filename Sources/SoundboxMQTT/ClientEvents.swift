/// What a client has read since it was last asked. Nothing of it has been answered yet.
struct ClientEvents {
    struct Message: Equatable {
        var topic: String
        var payload: [UInt8]
        var isRetained: Bool
    }

    /// A message that is larger than the client takes.
    struct Oversized: Equatable {
        var topic: String
        /// The size of its payload.
        var bytes: Int
    }

    /// Messages that arrived, in order. Their acknowledgements are queued, and have not been sent.
    var messages: [Message] = []
    /// Bytes of all payloads in ``messages``.
    var messageBytes = 0
    /// Messages that were skipped. Their acknowledgements are queued, too.
    var oversized: [Oversized] = []
    /// The code of a CONNACK; 0 accepts the connection.
    var connectionCode: UInt8?
    /// With ``connectionCode``: whether the broker has kept the session.
    var brokerKnowsSession = false
    /// SUBACKs: the packet id and the granted QoS of its one topic; 0x80 refuses it.
    var subscriptions: [(id: UInt16, grantedQoS: UInt8)] = []
    /// Packet ids of the messages that the broker has acknowledged.
    var acknowledged: [UInt16] = []
}
