import CBrokerKey
import CMosquitto
import Glibc
import SoundboxSystem

extension MosquittoClient {
    /// Sleeps until the broker sent something, something queued can be sent, `wakeUp` is signalled or the time has
    /// passed; then reads what has arrived. Never writes.
    ///
    /// - Parameters:
    ///   - limit: stop reading after about so many packets or 1 MiB of payloads; ``mayHaveMore`` then says so.
    /// - Throws: when the connection is gone. What was read before that is still in ``takeEvents()``.
    func read(waitingAtMost timeout: Duration, wakeUp: WakeUp? = nil, limit: Int = 256) throws(MQTTError) {
        guard let socket else { throw .connectionLost(reason: "the broker closed the connection") }
        var waited = [pollfd(fd: socket, events: interest, revents: 0)]
        if let wakeUp { waited.append(pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0)) }
        poll(&waited, nfds_t(waited.count), mayHaveMore ? 0 : timeout.pollMilliseconds)
        wakeUp?.clear()

        let happened = Int32(waited[0].revents)
        if isOpening {
            guard happened != 0 else { return }
            try finishOpening(socket, hungUp: happened & (POLLHUP | POLLERR) != 0)
        }
        if happened & ~POLLOUT != 0 || mayHaveMore || isShakingHands { try readPending(socket, limit: limit) }
    }

    /// Sends what is queued, as far as the network takes it. After this, PUBACKs may be on the wire.
    ///
    /// - Throws: also when the broker's key is none of ``pins``. Nothing has been sent to it then, no password either.
    func write() throws(MQTTError) {
        guard !isOpening, socket != nil, try brokerIsKnown() else { return }
        let code = mosquitto_loop_write(handle, 1)
        guard code == MOSQ_SUCCESS else { throw lost(code, errno) }
    }

    /// Whether anything may be sent. With pins, not before the handshake is over, which reading alone brings to its
    /// end: the library's own write would finish it and send the first packet in one go.
    private func brokerIsKnown() throws(MQTTError) -> Bool {
        guard !keyIsKnown else { return true }
        let connection = mosquitto_ssl_get(handle)
        guard soundbox_handshake_is_over(connection) else { return false }
        var text = [CChar](repeating: 0, count: Int(SOUNDBOX_PIN_CAPACITY))
        let isRead = soundbox_peer_pin(connection, &text)
        let pin = isRead ? String(decoding: text.dropLast().map(UInt8.init), as: UTF8.self) : "unreadable"
        guard pins.contains(pin) else {
            drop()
            throw .unreachable(
                broker: broker, reason: "TLS: the broker's key is none of those in pin_sha256; its SHA-256 is \(pin)")
        }
        keyIsKnown = true
        return true
    }

    /// Queues a PINGREQ when it is time for one. To be called at least every few seconds.
    ///
    /// - Throws: when the broker did not answer the last one.
    func keepAlive() throws(MQTTError) {
        guard isAccepted, socket != nil else { return }
        let code = mosquitto_loop_misc(handle)
        guard code == MOSQ_SUCCESS else { throw lost(code, errno) }
    }

    /// Neither encrypted nor refused so far. During this the library's wish to write cannot be relied upon: it stays
    /// set from the first attempt to the end of the handshake, and would turn the wait into a spin.
    private var isShakingHands: Bool { broker.usesTLS && !isAccepted && !isOpening }

    private var interest: Int16 {
        if isOpening { return Int16(POLLOUT) }
        let wantsToWrite = !isShakingHands && mosquitto_want_write(handle)
        return Int16(POLLIN) | (wantsToWrite ? Int16(POLLOUT) : 0)
    }

    private func finishOpening(_ socket: Int32, hungUp: Bool) throws(MQTTError) {
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size)
        if error == 0, hungUp { error = ECONNRESET }
        guard error == 0 else { throw lost(Int32(MOSQ_ERR_ERRNO.rawValue), error) }
        isOpening = false
    }

    private func readPending(_ socket: Int32, limit: Int) throws(MQTTError) {
        mayHaveMore = false
        for _ in 0..<limit {
            let before = eventCount
            let code = mosquitto_loop_read(handle, 1)
            guard code == MOSQ_SUCCESS else { throw lost(code, errno) }
            if isShakingHands, eventCount == before {
                // The library reports a connection that breaks during the handshake as success, for ever.
                try checkPeer(socket)
                return
            }
            // The socket alone does not tell: bytes that TLS has decrypted already are no longer in it. The library
            // means to read those in one call, but leaves off early when errno is EAGAIN, which the full socket pair
            // that it wakes itself with (and only its own loop empties) makes of every PUBACK it queues.
            guard eventCount > before || isReadable(socket) else { return }
            if messageCount >= limit || messageBytes >= 1 << 20 { break }
        }
        mayHaveMore = true
    }

    private func isReadable(_ socket: Int32) -> Bool {
        var waited = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&waited, 1, 0) > 0
    }

    private func checkPeer(_ socket: Int32) throws(MQTTError) {
        var byte: UInt8 = 0
        let count = recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        if count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR) {
            throw hungUpOnTLS
        }
    }

    /// The error that a call's code and `errno` amount to.
    func lost(_ code: Int32, _ error: Int32) -> MQTTError {
        if isAccepted { return .connectionLost(reason: reason(code, error)) }
        if broker.usesTLS, MosquittoReasons.isHangUp(code, errno: error, lines: errorLines) { return hungUpOnTLS }
        return .unreachable(broker: broker, reason: reason(code, error))
    }

    /// In TLS 1.3 the client's side of the handshake is over before the broker has looked at its certificate, so that
    /// a broker that misses one is often known by nothing but its hanging up.
    private var hungUpOnTLS: MQTTError {
        .unreachable(
            broker: broker,
            reason: "the broker closed the connection during the TLS handshake; "
                + "if it asks for a client certificate, check cert_file and key_file")
    }
}
