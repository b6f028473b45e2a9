import SoundboxCore
import SoundboxSystem
import Synchronization

/// Payments by MQTT 5 or 3.1.1: QoS 1, a persistent session under a stable client id, acknowledged after the commit.
///
///     let settings = MQTTSettings(
///         hosts: [.init("broker.example", port: 8883)], tls: MQTTSettings.TLS(), topics: topics)
///     let feed = try MQTTFeed(settings: settings, offlineStatus: Array("{}".utf8)) { line in print(line) }
///     await feed.run(delegate: intake)
///
/// One thread owns the connection and calls the delegate. It reads all that has arrived and commits it at once; only
/// then are the PUBACKs sent. If the commit fails, it drops the connection, and the broker delivers the messages again.
/// A second, short-lived thread looks up the broker's name, because that blocks. So the feed stops within a bounded
/// time whatever the resolver does.
///
/// Receipts are delivered at least once.
public final class MQTTFeed: PaymentFeed {
    private let settings: MQTTSettings
    private let offlineStatus: [UInt8]
    private let log: @Sendable (String) -> Void
    private let control: FeedControl

    /// Prepares a feed. ``run(delegate:)`` makes the connection.
    ///
    /// - Parameters:
    ///   - offlineStatus: published on the status topic when the feed stops, and by the broker, as the last will, when
    ///     the box vanishes. JSON text, at most 65,535 bytes.
    ///   - log: called with one line about anything that is neither a connection change nor fatal. On the feed's
    ///     thread; must not block.
    /// - Throws: ``MQTTError/invalidSettings(_:)`` when the process has no file descriptor left.
    public init(
        settings: MQTTSettings, offlineStatus: [UInt8], log: @escaping @Sendable (String) -> Void
    ) throws(MQTTError) {
        self.settings = settings
        self.offlineStatus = offlineStatus
        self.log = log
        do { control = FeedControl(wakeUp: try WakeUp()) } catch {
            throw .invalidSettings(.noDescriptors(error))
        }
    }

    /// Connects and serves until ``stop()`` or until the task is cancelled, which has the same effect.
    public func run(delegate: any PaymentFeedDelegate) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                startThread(named: "mqtt") { [settings, offlineStatus, log, control] in
                    var loop = FeedLoop(
                        settings: settings, offlineStatus: offlineStatus, control: control, delegate: delegate, log: log
                    )
                    loop.run()
                    continuation.resume()
                }
            }
        } onCancel: {
            stop()
        }
    }

    /// Makes ``run(delegate:)`` return within a few seconds: receipts and the offline status may take
    /// ``MQTTSettings/farewellLimit`` to be acknowledged. Never blocks; any thread.
    public func stop() { control.change { $0.isStopping = true } }

    public func receiptsAreWaiting() { control.change { $0.publicationsAreWaiting = true } }

    public func publishStatus(_ payload: [UInt8]) { control.change { $0.newStatus = payload } }

    /// How long ago the feed's thread began its last turn: at most 10 s with subscriptions, and a second without,
    /// unless it is blocked in the delegate. For a watchdog; any thread.
    public var timeSinceLastTurn: Duration { .monotonicNow - control.lastTurn }
}

/// What other threads request of the feed's thread, and what they may know about it.
final class FeedControl: Sendable {
    struct Requests {
        var isStopping = false
        var publicationsAreWaiting = false
        var newStatus: [UInt8]?
    }

    let wakeUp: WakeUp
    private let requests = Mutex(Requests())
    private let turn = Atomic<Int64>(0)

    init(wakeUp: WakeUp) {
        self.wakeUp = wakeUp
        turnBegan()
    }

    /// Requests something; any thread.
    func change(_ body: (inout Requests) -> Void) {
        requests.withLock { body(&$0) }
        wakeUp.signal()
    }

    /// Takes the requests. A request to stop remains.
    func takeRequests() -> Requests {
        requests.withLock { pending in
            defer {
                pending.publicationsAreWaiting = false
                pending.newStatus = nil
            }
            return pending
        }
    }

    var isStopping: Bool { requests.withLock { $0.isStopping } }

    func turnBegan() {
        turn.store(Duration.monotonicNow.nanoseconds, ordering: .relaxed)
    }

    /// When ``turnBegan()`` was called last, on the clock of `Duration.monotonicNow`.
    var lastTurn: Duration { .nanoseconds(turn.load(ordering: .relaxed)) }
}
