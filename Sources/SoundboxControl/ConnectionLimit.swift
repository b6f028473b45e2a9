import NIOCore
import Synchronization

/// Keeps the control socket's connections few and short, so that a program that opens and forgets them takes neither the
/// box's descriptors nor its time.
///
/// A new connection is always served: the oldest makes room for it, since one that is still there is idle or slow. Any
/// thread.
final class ConnectionLimit: Sendable {
    /// One is used by a person, and a few more by programs that watch the box.
    static let mostConnections = 8
    /// Without a byte from the client.
    static let idleTime = TimeAmount.seconds(5)
    /// From the first byte to the last, however slowly they come. A change of volume may wait for a slow disk.
    static let lifetime = TimeAmount.seconds(10)
    /// For an answer that is on its way when the box is stopped.
    static let farewell = Duration.milliseconds(500)

    private struct Content {
        /// Oldest first.
        var channels: [any Channel] = []
        var isClosed = false
    }

    private let content = Mutex(Content())

    /// To be added to every connection.
    func handler() -> any RemovableChannelHandler { ConnectionHandler(limit: self) }

    /// Cuts every connection, and those that come from now on.
    func close() {
        let channels = content.withLock { content in
            content.isClosed = true
            return content.channels
        }
        for channel in channels { channel.close(promise: nil) }
    }

    fileprivate func add(_ channel: any Channel) {
        let surplus: (any Channel)? = content.withLock { content in
            if content.isClosed { return channel }
            content.channels.append(channel)
            return content.channels.count > Self.mostConnections ? content.channels.removeFirst() : nil
        }
        surplus?.close(promise: nil)
        let end = channel.eventLoop.scheduleTask(in: Self.lifetime) { channel.close(promise: nil) }
        channel.closeFuture.whenComplete { [weak self] _ in
            end.cancel()
            self?.content.withLock { $0.channels.removeAll { $0 === channel } }
        }
    }
}

/// Counts one connection, from inside its pipeline.
private final class ConnectionHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Never

    private let limit: ConnectionLimit

    init(limit: ConnectionLimit) {
        self.limit = limit
    }

    func handlerAdded(context: ChannelHandlerContext) { limit.add(context.channel) }
}
