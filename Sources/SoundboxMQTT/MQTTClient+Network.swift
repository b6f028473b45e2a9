import Glibc
import SoundboxCore
import SoundboxSystem

extension MQTTClient {
    /// What may wait to be sent before reading pauses: a broker that sends and never reads would fill the memory with
    /// acknowledgements.
    private static let maximumQueuedBytes = 64 * 1024
    private static let chunkBytes = 16 * 1024
    /// How many chunks are read in one turn, 1 MiB, so that a message that is skipped does not hold everything else up.
    private static let chunksPerTurn = 64

    /// Sleeps until the broker sent something, something queued can be sent, `wakeUp` is signalled or the time has
    /// passed; then reads what has arrived. Never writes, except for the TLS handshake.
    ///
    /// - Parameters:
    ///   - limit: stop reading after so many messages or 1 MiB of payloads; ``mayHaveMore`` then says so.
    /// - Throws: when the connection is gone. What was read before that is still in ``takeEvents()``.
    func read(waitingAtMost timeout: Duration, wakeUp: WakeUp? = nil, limit: Int = 256) throws(MQTTError) {
        guard let link else { throw lost(.closed) }
        let isUnsent = sent < outgoing.count
        let hasRoom = outgoing.count - sent < Self.maximumQueuedBytes
        var interest = link.interest
        if link.stage == .open {
            if !hasRoom { interest &= ~Int16(POLLIN) }
            if isUnsent { interest |= Int16(POLLOUT) }
        }
        var waited = [pollfd(fd: link.socket, events: interest, revents: 0)]
        if let wakeUp { waited.append(pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0)) }
        poll(&waited, nfds_t(waited.count), mayHaveMore && hasRoom ? 0 : timeout.pollMilliseconds)
        wakeUp?.clear()

        let happened = Int32(waited[0].revents)
        do throws(LinkFailure) {
            let wasOpen = link.stage == .open
            guard try link.advance(happened) else { return }
            // What came with the end of the handshake is no longer in the socket.
            if !wasOpen { mayHaveMore = true }
        } catch {
            throw lost(error)
        }
        // Errors and hang-ups show whether they were asked about or not.
        let isReady = happened & ~POLLOUT != 0 || link.interest & Int16(happened) != 0
        if mayHaveMore || isReady, hasRoom || happened & (POLLERR | POLLHUP) != 0 {
            try readPending(link, limit: limit)
        }
    }

    private func readPending(_ link: Link, limit: Int) throws(MQTTError) {
        mayHaveMore = true
        var chunks = 0
        while !isFull(limit) {
            do throws(ProtocolViolation) {
                if let packet = try reader.next(from: &unread) {
                    try take(packet)
                    continue
                }
            } catch {
                throw .connectionLost(reason: "the broker sent something that MQTT does not allow: \(error.reason)")
            }
            guard chunks < Self.chunksPerTurn else { return }
            chunks += 1
            guard try readChunk(link) else {
                mayHaveMore = false
                return
            }
        }
    }

    private func readChunk(_ link: Link) throws(MQTTError) -> Bool {
        var failure: LinkFailure?
        let chunk = [UInt8](unsafeUninitializedCapacity: Self.chunkBytes) { bytes, count in
            do throws(LinkFailure) { count = try link.read(into: UnsafeMutableRawBufferPointer(bytes)) } catch {
                failure = error
            }
        }
        if let failure { throw lost(failure) }
        guard !chunk.isEmpty else { return false }
        keepAlive.heard(at: .monotonicNow)
        unread = chunk[...]
        return true
    }

    /// Sends what is queued, as far as the network takes it. After this, PUBACKs may be on the wire.
    func write() throws(MQTTError) {
        guard let link, link.stage == .open else { return }
        while sent < outgoing.count {
            let count: Int
            do throws(LinkFailure) {
                let start = sent
                count = try outgoing.withUnsafeBufferPointer { bytes throws(LinkFailure) in
                    try link.write(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[start...])))
                }
            } catch {
                throw lost(error)
            }
            guard count > 0 else { break }
            sent += count
            keepAlive.sent(at: .monotonicNow)
        }
        if sent == outgoing.count {
            outgoing = []
            sent = 0
            if isDisconnecting {
                link.finish()
                drop()
            }
        } else if sent >= Self.maximumQueuedBytes {
            outgoing.removeFirst(sent)
            sent = 0
        }
    }

    /// The error that a failure amounts to.
    func lost(_ failure: LinkFailure) -> MQTTError {
        if case .settings(let reason) = failure { return .invalidSettings(reason: reason) }
        if isAccepted { return .connectionLost(reason: failure.reason) }
        // In TLS 1.3 the client's side of the handshake is over before the broker has looked at its certificate, so that
        // a broker that misses one is often known by nothing but its hanging up.
        if failure == .closed, broker.usesTLS {
            return .unreachable(
                broker: broker,
                reason: "the broker closed the connection during the TLS handshake; "
                    + "if it asks for a client certificate, check cert_file and key_file")
        }
        return .unreachable(broker: broker, reason: failure.reason)
    }
}
