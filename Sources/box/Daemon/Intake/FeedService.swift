import ServiceLifecycle
import SoundboxCore
import SoundboxSystem

/// Runs the feed until shutdown. The feed then still sends the receipts and the offline status. After an end of the
/// program soon after a connection, what is stored is spoken first: see ``ConnectionKeeper``.
struct FeedService: Service, Feature {
    let intake: Intake
    private let box: BoxContext
    private let quietTime: QuietTime
    private let hasBegun = OneTimeSignal()

    init(in box: BoxContext, _ intake: Intake, _ quietTime: QuietTime) {
        (self.box, self.intake, self.quietTime) = (box, intake, quietTime)
    }

    /// How long the feed's thread has been busy with its current call.
    var stillness: Duration { hasBegun.hasHappened ? box.feed.timeSinceLastTurn : .zero }

    func run() async {
        await withGracefulShutdownHandler {
            await speakFirst()
            hasBegun.signal()
            await box.feed.run(delegate: intake)
        } onGracefulShutdown: { [feed = box.feed] in
            feed.stop()
        }
    }

    private func speakFirst() async {
        let isPrompted = box.settings.networkPrompts.saysNetwork && quietTime.volumeNow == nil
        await box.connection?.speakFirst(prompting: isPrompted ? box.requests : nil, on: box.files) { [box] in
            (try? box.inbox.counts()).map { $0.waiting > 0 } ?? false
        }
    }
}
