/// What a client has read since it was last asked. No answer to it has been sent yet.
struct ClientEvents {
    struct Message: Equatable {
        var topic: String
        var payload: [UInt8]
        var qos: UInt8
        var isRetained: Bool
    }

    /// A message that is too large for the client.
    struct Oversized: Equatable {
        var topic: String
        /// The size of its payload.
        var bytes: Int
    }

    /// Messages in order of arrival. Their acknowledgements are queued and not sent.
    var messages: [Message] = []
    /// The bytes of all payloads in ``messages``.
    var messageBytes = 0
    /// Messages that were skipped. Their acknowledgements are queued as well.
    var oversized: [Oversized] = []
    /// The return code of a CONNACK; 0 accepts the connection.
    var connectionCode: UInt8?
    /// Goes with ``connectionCode``: whether the broker has kept the session.
    var brokerKnowsSession = false
    /// SUBACKs: the packet id and the granted QoS of its one topic; 0x80 refuses it.
    var subscriptions: [(id: UInt16, grantedQoS: UInt8)] = []
    /// Packet ids of the messages that the broker has acknowledged.
    var acknowledged: [UInt16] = []
}
