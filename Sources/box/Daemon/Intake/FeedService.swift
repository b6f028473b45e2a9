import ServiceLifecycle
import SoundboxCore
import SoundboxSystem

/// Runs the feed until shutdown. The feed then still sends the receipts and the offline status.
struct FeedService: Service, Feature {
    let feed: any PaymentFeed
    let delegate: any PaymentFeedDelegate
    /// Awaited before the feed connects. Must return soon after a shutdown has begun.
    let beforeFirstConnection: @Sendable () async -> Void
    /// Happens when the feed may connect.
    let hasBegun: OneTimeSignal

    func run() async {
        await withGracefulShutdownHandler {
            await beforeFirstConnection()
            hasBegun.signal()
            await feed.run(delegate: delegate)
        } onGracefulShutdown: {
            feed.stop()
        }
    }
}
