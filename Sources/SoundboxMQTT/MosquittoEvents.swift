import CMosquitto

/// What the library's callbacks have reported since it was last asked. The callbacks run inside `mosquitto_loop_read`,
/// `mosquitto_loop_write` and the connecting calls, on the thread that makes the call, and only take notes here: nothing
/// is decided and nothing is sent while the library holds its locks.
struct MosquittoEvents {
    struct Message: Equatable {
        var topic: String
        var payload: [UInt8]
        var isRetained: Bool
    }

    /// Messages that arrived, in order. The library has queued their PUBACKs, and has not sent them.
    var messages: [Message] = []
    /// Bytes of all payloads in ``messages``.
    var messageBytes = 0
    /// The code of a CONNACK; 0 accepts the connection.
    var connectionCode: Int32?
    /// SUBACKs: the packet id and the granted QoS of its one topic; 0x80 refuses it.
    var subscriptions: [(id: Int32, grantedQoS: Int32)] = []
    /// Packet ids of the messages that the broker has acknowledged.
    var acknowledged: [Int32] = []
    /// The library's own error lines; the reasons of a failed TLS handshake are found nowhere else.
    var errorLines: [String] = []
    /// Packets that called back.
    var count = 0
}

/// The object that the library's user data points to. Owned by ``MosquittoClient``, which outlives the handle.
final class MosquittoCallbacks {
    var events = MosquittoEvents()

    /// Registers the callbacks. `self` must stay alive until the handle is destroyed.
    func attach(to handle: OpaquePointer) {
        mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
        mosquitto_connect_callback_set(handle) { _, context, code in
            MosquittoCallbacks.note(context) { $0.connectionCode = code }
        }
        mosquitto_subscribe_callback_set(handle) { _, context, id, count, granted in
            let code = count > 0 ? granted?.pointee : nil
            MosquittoCallbacks.note(context) { $0.subscriptions.append((id, code ?? 0x80)) }
        }
        mosquitto_publish_callback_set(handle) { _, context, id in
            MosquittoCallbacks.note(context) { $0.acknowledged.append(id) }
        }
        mosquitto_message_callback_set(handle) { _, context, message in
            guard let message = message?.pointee, let topic = message.topic else { return }
            let payload = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
            MosquittoCallbacks.note(context) {
                $0.messageBytes += payload.count
                $0.messages.append(
                    .init(topic: String(cString: topic), payload: Array(payload), isRetained: message.retain))
            }
        }
        mosquitto_log_callback_set(handle) { _, context, level, line in
            // Not counted: the lines say nothing about progress.
            guard level & Int32(MOSQ_LOG_ERR) != 0, let context, let line else { return }
            let callbacks = Unmanaged<MosquittoCallbacks>.fromOpaque(context).takeUnretainedValue()
            callbacks.events.errorLines.append(String(cString: line))
        }
    }

    private static func note(_ context: UnsafeMutableRawPointer?, _ change: (inout MosquittoEvents) -> Void) {
        guard let context else { return }
        let callbacks = Unmanaged<MosquittoCallbacks>.fromOpaque(context).takeUnretainedValue()
        callbacks.events.count += 1
        change(&callbacks.events)
    }
}
