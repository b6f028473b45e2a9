import Glibc
import SoundboxCore
import SoundboxSystem

extension MQTTClient {
    /// With this much queued, reading pauses. Otherwise a broker that sends and never reads would fill the memory with
    /// acknowledgements.
    private static let maximumQueuedBytes = 64 * 1024
    private static let chunkBytes = 16 * 1024
    /// The most that one turn reads, 1 MiB, so that a message that is being skipped does not hold up everything else.
    private static let chunksPerTurn = 64

    /// Sleeps until something arrives, queued bytes can be sent, `wakeUp` is signalled or the time has passed. Then reads
    /// what has arrived. Writes nothing except the TLS handshake.
    ///
    /// - Parameters:
    ///   - limit: reading stops after this many messages, or 1 MiB of payloads, and sets ``mayHaveMore``.
    /// - Throws: when the connection has ended. ``takeEvents()`` still returns what was read before.
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
            // TLS may have read more than the end of the handshake: `poll` will not report those bytes.
            if !wasOpen { mayHaveMore = true }
        } catch {
            throw lost(error)
        }
        // `poll` reports errors and hang-ups unasked.
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
                    if disconnection == nil { continue }
                }
            } catch {
                throw .connectionLost(.violation(error.reason))
            }
            if let disconnection { throw .connectionLost(.disconnected(disconnection)) }
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

    /// Sends as much of the queue as the network takes. From here on PUBACKs may be on the wire.
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

    /// The error that a link's failure means at this stage.
    func lost(_ failure: LinkFailure) -> MQTTError {
        if case .settings(let fault) = failure { return .invalidSettings(fault) }
        if isAccepted { return .connectionLost(.link(failure)) }
        // In TLS 1.3 the client completes the handshake before the broker checks the client's certificate. Often the only
        // sign that the broker wants one is that it hangs up.
        if failure == .closed, broker.usesTLS {
            return .unreachable(broker: broker, .closedInHandshake)
        }
        return .unreachable(broker: broker, failure)
    }
}
