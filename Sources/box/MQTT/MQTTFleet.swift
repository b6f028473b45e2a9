import SoundboxCore
import SoundboxSystem

/// The connection of a payment provider that talks with many boxes: it listens to topics of all of them, and publishes
/// to any.
///
///     let fleet = try MQTTFleet(
///         settings: settings, clientID: "gateway-1",
///         filters: ["soundbox/v1/+/+/receipts", "soundbox/v1/+/+/status"]) { line in print(line) }
///     await fleet.run(delegate: store)
///
/// A persistent session with QoS 1. One thread owns the connection and calls the delegate; it looks names up as well,
/// which blocks it. It reads all that has arrived, has it committed, and only then sends the PUBACKs. If the commit
/// fails it drops the connection, and the broker delivers the messages again.
public final class MQTTFleet: Sendable {
    private let settings: MQTTSettings
    private let clientID: String
    private let filters: [String]
    private let retained: [String]
    private let log: @Sendable (String) -> Void
    private let control: FeedControl

    /// Prepares a connection. ``run(delegate:)`` makes it.
    ///
    /// - Parameters:
    ///   - settings: how to reach the broker. Their topics are not used, nor is the client id that comes with them.
    ///   - clientID: the same at every start, and used by no other client: the broker keeps receipts under it.
    ///   - filters: at least one. The broker queues these messages while the client is away.
    ///   - retained: filters of retained messages, of which only the last one counts: not queued.
    ///   - log: called with one line about anything that is neither a connection change nor fatal. On the thread of the
    ///     connection; must not block.
    /// - Throws: ``MQTTError/invalidSettings(_:)`` when the process has no file descriptor left.
    public init(
        settings: MQTTSettings, clientID: String, filters: [String], retained: [String] = [],
        log: @escaping @Sendable (String) -> Void
    ) throws(MQTTError) {
        self.settings = settings
        self.clientID = clientID
        self.filters = filters
        self.retained = retained
        self.log = log
        do { control = FeedControl(wakeUp: try WakeUp()) } catch { throw .invalidSettings(.noDescriptors(error)) }
    }

    /// Connects and serves until ``stop()`` or until the task is cancelled, which has the same effect.
    ///
    /// - Parameter delegate: the thread owns it from now on. Of a value it has a copy.
    /// - Throws: when the settings cannot make a client.
    public func run(delegate: any MQTTFleetDelegate) async throws {
        try await withTaskCancellationHandler {
            try await onOwnThread(named: "mqtt") { [settings, clientID, filters, retained, log, control] in
                var loop = FleetLoop(
                    session: try Session(settings, clientID: clientID, keepsSession: true, will: nil),
                    filters: filters, retained: retained, settings: settings, control: control, delegate: delegate,
                    log: log)
                loop.run()
            }
        } onCancel: {
            stop()
        }
    }

    /// Makes ``run(delegate:)`` return: publications under way may take ``MQTTSettings/farewellLimit``, and a connection
    /// that is being made five seconds for each address. Never blocks; any thread.
    public func stop() { control.change { $0.isStopping = true } }

    /// Asks the delegate for publications soon, and not only within a second. Never blocks; any thread.
    public func publicationsAreWaiting() { control.change { $0.publicationsAreWaiting = true } }

    /// How long ago the thread began its last turn: a second at most, unless it is blocked in the delegate or making a
    /// connection. For a watchdog; any thread.
    public var timeSinceLastTurn: Duration { .monotonicNow - control.lastTurn }
}

/// Called on the thread of an ``MQTTFleet``, which owns it: a value needs no lock.
public protocol MQTTFleetDelegate: Sendable {
    /// Stores what has happened. Blocks until it is on the disk.
    ///
    /// - Throws: why it cannot. The connection is then dropped, and messages come again.
    mutating func commit(_ turn: FleetTurn) throws

    /// The publications to send next. Called once a second, after ``MQTTFleet/publicationsAreWaiting()``, and while the
    /// last answer was as long as `limit`.
    mutating func publications(limit: Int) -> [FleetPublication]

    /// When it is no longer ready, nothing is under way any more: what was not acknowledged is not sent again by itself.
    mutating func connectionChanged(to state: FleetConnection)
}

/// A message to a box.
public struct FleetPublication: Sendable, Equatable {
    /// Names it in ``FleetTurn``.
    public var id: Int64
    public var topic: String
    public var payload: [UInt8]
    /// Seconds for which the broker keeps it for a box that is away, with MQTT 5; `nil` for as long as its session.
    public var expiry: Int?

    public init(id: Int64, topic: String, payload: [UInt8], expiry: Int? = nil) {
        (self.id, self.topic, self.payload, self.expiry) = (id, topic, payload, expiry)
    }
}

/// What has happened since the last turn.
public struct FleetTurn: Sendable, Equatable {
    public struct Message: Sendable, Equatable {
        public var topic: String
        public var payload: [UInt8]

        public init(topic: String, payload: [UInt8]) { (self.topic, self.payload) = (topic, payload) }
    }

    /// In order of arrival. Larger ones than ``PaymentNoticeDecoder/maximumPayloadBytes`` are left out.
    public var messages: [Message] = []
    /// The publications that the broker has taken.
    public var acknowledged: [Int64] = []
    /// Those that it has refused, or that are too large for it; `reason` is for people.
    public var refused: [(id: Int64, reason: String)] = []

    public init() {}

    public static func == (one: Self, other: Self) -> Bool {
        one.messages == other.messages && one.acknowledged == other.acknowledged
            && one.refused.elementsEqual(other.refused, by: ==)
    }

    var isEmpty: Bool { messages.isEmpty && acknowledged.isEmpty && refused.isEmpty }
}

/// The state of an ``MQTTFleet``'s connection.
public enum FleetConnection: Sendable, Equatable {
    /// Connected and subscribed. `isResumed` tells whether the broker has kept the session.
    case ready(broker: String, isResumed: Bool)
    case lost(reason: String, retryIn: Duration)
}
