import ServiceLifecycle
import SoundboxCore

/// Runs the feed until shutdown. The feed then still sends the receipts and the offline status.
struct FeedService: Service, Feature {
    let feed: any PaymentFeed
    let delegate: any PaymentFeedDelegate

    func run() async {
        await withGracefulShutdownHandler {
            await feed.run(delegate: delegate)
        } onGracefulShutdown: {
            feed.stop()
        }
    }
}
