import SoundboxCore

/// What a client has read since the last call. No answer to it has been sent yet.
struct SessionEvents {
    struct Message: Equatable {
        var topic: String
        var payload: [UInt8]
        var qos: UInt8
        var isRetained: Bool
        /// The seconds that it had left when it arrived; `nil` when it does not expire.
        var expiry: UInt32?
    }

    /// The broker's answer to a CONNECT.
    struct Answer: Equatable {
        /// The return or reason code; 0 accepts the connection.
        var code: UInt8
        /// Whether the broker has kept the session.
        var knowsSession: Bool
        /// `nil` in MQTT 3.1.1.
        var terms: BrokerTerms?
        /// The code's reason; `nil` in MQTT 3.1.1.
        var reason: BrokerReason?

        var refusal: MQTTError.Refusal? {
            guard code != 0 else { return nil }
            return reason.map { .reason($0) } ?? .init(code: code)
        }
    }

    /// A message that the broker refused. It is not sent again.
    struct Refused: Equatable {
        var id: Int
        var topic: String
        /// `nil` when it is larger than the broker allows: it was not sent.
        var reason: BrokerReason?
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
    /// Messages that are skipped. Their acknowledgements are queued as well.
    var oversized: [Oversized] = []
    /// CONNACK.
    var answer: Answer?
    /// SUBACKs: the id and the granted QoS of its one topic; 0x80 and above refuse it.
    var subscriptions: [(id: Int32, grantedQoS: UInt8, reason: BrokerReason?)] = []
    /// The ids of the messages that the broker has acknowledged, or refused for good.
    var acknowledged: [Int] = []
    /// The messages of ``acknowledged`` that it has refused.
    var refused: [Refused] = []
}
