import SoundboxCore
import Synchronization
import TestSupport

/// The contract of ``PaymentFeed``, as clauses that a feed is tested with, together with its broker.
///
///     @Test(arguments: PaymentFeedContract.clauses)
///     func contract(clause: PaymentFeedContract) async throws { try await clause.check(FakeFeedPeer()) }
///
/// Waits without a timeout for missing calls of the feed, so give the test a time limit.
public struct PaymentFeedContract: Sendable, CustomStringConvertible {
    /// The clause in one sentence.
    public let description: String
    /// Throws ``PaymentFeedContractViolation``, or an error of the peer. The peer cannot be used afterwards.
    public let check: @Sendable (_ peer: any PaymentFeedPeer) async throws -> Void

    public static let clauses: [PaymentFeedContract] = clausesOfMessages + clausesOfReceipts + clausesOfConnections
}

/// An unused feed, and its broker.
public protocol PaymentFeedPeer: Sendable {
    var feed: any PaymentFeed { get }
    /// The status that the feed publishes when it stops.
    var offlineStatus: [UInt8] { get }

    /// Publishes messages in this order. Returns when the broker has them; the feed may receive them later.
    func send(_ messages: [FeedMessage]) async throws
    /// Publishes messages without acknowledgement (QoS 0).
    func sendUnacknowledged(_ messages: [FeedMessage]) async throws
    /// Makes the broker deliver refused messages again, if it does not do so by itself.
    func redeliver() async throws
    /// How many messages the feed had acknowledged when this was called.
    func acknowledgementCount() async throws -> Int
    /// Waits for one more acknowledgement.
    func nextAcknowledgement() async throws
    /// The next payload on the receipts topic.
    func nextReceipt() async throws -> [UInt8]
    /// The next payload on the status topic.
    func nextStatus() async throws -> [UInt8]
}

/// A broken clause.
public struct PaymentFeedContractViolation: Error, Sendable, CustomStringConvertible {
    public var description: String
}

/// The fake feed is its own broker.
public struct FakeFeedPeer: PaymentFeedPeer {
    private let fake: FakeFeed
    public let offlineStatus = Array("offline".utf8)

    public init() { fake = FakeFeed(offlineStatus: offlineStatus) }

    public var feed: any PaymentFeed { fake }
    public func send(_ messages: [FeedMessage]) { _ = fake.send(messages) }
    public func sendUnacknowledged(_ messages: [FeedMessage]) { fake.sendUnacknowledged(messages) }
    public func redeliver() { _ = fake.send([]) }
    public func acknowledgementCount() -> Int { fake.acknowledged.entries.count }
    public func nextAcknowledgement() async throws { _ = try await fake.acknowledged.next() }
    public func nextReceipt() async throws -> [UInt8] { try await fake.receipts.next().payload }
    public func nextStatus() async throws -> [UInt8] { try await fake.statuses.next() }
}

// MARK: Messages

extension PaymentFeedContract {
    static var clausesOfMessages: [PaymentFeedContract] {
        [
            PaymentFeedContract(description: "A message is acknowledged after its commit has returned, and not before")
            {
                peer in
                let gate = Gate()
                let delegate = RecordingDelegate { _ in gate.wait() }
                try await serving(peer, delegate) {
                    defer { gate.open() }
                    try await delegate.subscribed()
                    try await peer.send([message("1")])
                    _ = try await delegate.batches.next()
                    try await peer.send([message("2")])
                    try demand(await peer.acknowledgementCount(), equals: 0, "acknowledgements during the commit")
                    gate.open()
                    for _ in 1...2 { try await peer.nextAcknowledgement() }
                    try demand(delegate.committed, equals: [message("1"), message("2")], "what was committed")
                }
            },
            PaymentFeedContract(description: "Messages are committed in order, with their topics and payloads") {
                peer in
                let delegate = RecordingDelegate()
                let messages = [
                    message("1"), message(""), FeedMessage(topic: .commands, payload: Array("到账".utf8)), message("1"),
                ]
                try await serving(peer, delegate) {
                    try await delegate.subscribed()
                    try await peer.send(messages)
                    for _ in messages { try await peer.nextAcknowledgement() }
                    try demand(delegate.committed, equals: messages, "what was committed")
                    try demand(await peer.acknowledgementCount(), equals: messages.count, "acknowledgements")
                }
            },
            PaymentFeedContract(description: "A message that the broker had retained is told as such") { peer in
                let delegate = RecordingDelegate()
                let retained = FeedMessage(topic: .payments, payload: Array("old".utf8), isRetained: true)
                try await peer.send([retained])
                try await serving(peer, delegate) {
                    try await peer.nextAcknowledgement()
                    try demand(delegate.committed, equals: [retained], "what was committed")
                }
            },
            PaymentFeedContract(
                description: "Notices that nobody acknowledges are committed, and a fault is told, once"
            ) { peer in
                let delegate = RecordingDelegate()
                try await serving(peer, delegate) {
                    try await delegate.subscribed()
                    // A command carries no payment, so no fault.
                    let command = FeedMessage(topic: .commands, payload: Array("c".utf8))
                    try await peer.sendUnacknowledged([command])
                    try await peer.send([message("1")])
                    try await peer.nextAcknowledgement()
                    try demand(delegate.faults.entries, equals: [], "faults, of a command")
                    try await peer.sendUnacknowledged([message("2"), message("3")])
                    try demand(await delegate.faults.next(), equals: [.noticesAtQoS0], "faults")
                    try await peer.send([message("4")])
                    try await peer.nextAcknowledgement()
                    let all = [command] + ["1", "2", "3", "4"].map { message($0) }
                    try demand(delegate.committed, equals: all, "what was committed")
                    try demand(delegate.faults.entries, equals: [[.noticesAtQoS0]], "what was told of faults")
                    try demand(await peer.acknowledgementCount(), equals: 2, "acknowledgements")
                }
            },
            PaymentFeedContract(description: "A batch that was refused is not acknowledged, and comes again, in order")
            {
                peer in
                let delegate = RecordingDelegate { _ in throw RecordingDelegate.CommitRefused() }
                try await serving(peer, delegate) {
                    try await delegate.subscribed()
                    try await peer.send([message("1"), message("2")])
                    let reason = try await delegate.disconnectionReason()
                    try demand(reason.hasSuffix("disk full"), equals: true, "\"\(reason)\" tells why")
                    try demand(await peer.acknowledgementCount(), equals: 0, "acknowledgements of what was refused")
                    let accepted = Journal<FeedMessage>()
                    delegate.onCommit { for message in $0 { accepted.append(message) } }
                    try await peer.redeliver()
                    for _ in 1...2 { try await peer.nextAcknowledgement() }
                    try demand(accepted.entries, equals: [message("1"), message("2")], "what was committed at last")
                }
            },
            PaymentFeedContract(description: "What is too large is noted instead, and acknowledged once that is done") {
                peer in
                let delegate = RecordingDelegate()
                let bytes = PaymentNoticeDecoder.maximumPayloadBytes + 1
                let large = message(String(repeating: "x", count: bytes))
                delegate.onSkip { throw RecordingDelegate.CommitRefused() }
                try await serving(peer, delegate) {
                    try await delegate.subscribed()
                    try await peer.send([large])
                    _ = try await delegate.disconnectionReason()
                    try demand(await peer.acknowledgementCount(), equals: 0, "acknowledgements before it was noted")
                    delegate.onSkip {}
                    try await peer.redeliver()
                    try await peer.nextAcknowledgement()
                    try demand(
                        delegate.skipped.entries, equals: [.init(topic: .payments, bytes: bytes)], "what was noted")
                    try demand(delegate.committed, equals: [], "what was committed")
                }
            },
        ]
    }
}

// MARK: Receipts and status

extension PaymentFeedContract {
    static var clausesOfReceipts: [PaymentFeedContract] {
        [
            PaymentFeedContract(description: "Receipts go out in order, and are reported when the broker has them") {
                peer in
                let delegate = RecordingDelegate()
                try await serving(peer, delegate) {
                    try await delegate.subscribed()
                    for first in [1, 41] {
                        delegate.queueReceipts(numbers(first...first + 39), from: Int64(first))
                        peer.feed.receiptsAreWaiting()
                        try await expectReceipts(numbers(first...first + 39), peer)
                        try await expectDelivered(first...first + 39, delegate)
                    }
                }
            },
            PaymentFeedContract(description: "Receipts from before the connection go out unasked") { peer in
                let delegate = RecordingDelegate()
                delegate.queueReceipts(["1"])
                try await serving(peer, delegate) {
                    try await expectReceipts(["1"], peer)
                    try await expectDelivered(1...1, delegate)
                }
            },
            PaymentFeedContract(description: "A newer status replaces the one before, and none comes after it") {
                peer in
                let delegate = RecordingDelegate()
                peer.feed.publishStatus(Array("1".utf8))
                try await serving(peer, delegate) {
                    try demand(
                        await peer.nextStatus(), equals: Array("1".utf8), "the status from before the connection")
                    let newer = numbers(2...20)
                    for status in newer { peer.feed.publishStatus(Array(status.utf8)) }
                    var seen: [Int] = []
                    while seen.last != 20 {
                        seen.append(Int(String(decoding: try await peer.nextStatus(), as: UTF8.self)) ?? 0)
                    }
                    try demand(seen, equals: Set(seen).sorted(), "the statuses, which may be some of those published")
                }
            },
            PaymentFeedContract(
                description: "A new connection begins with the status, since the old one's end undid it"
            ) { peer in
                let delegate = RecordingDelegate()
                try await serving(peer, delegate) {
                    try await delegate.subscribed()
                    peer.feed.publishStatus(Array("online".utf8))
                    try demand(await peer.nextStatus(), equals: Array("online".utf8), "the status")
                    // Once: refused again, it would end the next connection before that has its status.
                    let isRefused = Mutex(true)
                    delegate.onCommit { _ in
                        let isRefused = isRefused.withLock { isRefused in
                            defer { isRefused = false }
                            return isRefused
                        }
                        if isRefused { throw RecordingDelegate.CommitRefused() }
                    }
                    try await peer.send([message("1")])
                    // A broker that has the new connection before it notices the end of the old one publishes no will
                    // (MQTT 5, 3.1.2.5).
                    var next = try await peer.nextStatus()
                    if next == peer.offlineStatus { next = try await peer.nextStatus() }
                    try demand(next, equals: Array("online".utf8), "the status, again")
                }
            },
        ]
    }
}

// MARK: Connections

extension PaymentFeedContract {
    static var clausesOfConnections: [PaymentFeedContract] {
        [
            PaymentFeedContract(description: "Stopping sends the receipts that wait, then the offline status") { peer in
                let delegate = RecordingDelegate()
                try await serving(peer, delegate) {
                    try await delegate.subscribed()
                    peer.feed.publishStatus(Array("online".utf8))
                    try demand(await peer.nextStatus(), equals: Array("online".utf8), "the status")
                    delegate.queueReceipts(numbers(1...40))
                    peer.feed.receiptsAreWaiting()
                }
                // All of this has happened when `run` returns.
                let delivered = delegate.delivered.entries.flatMap { $0 }
                try demand(delivered, equals: (1...40).map { $0 }, "the receipts that were reported")
                try await expectReceipts(numbers(1...40), peer)
                try demand(await peer.nextStatus(), equals: peer.offlineStatus, "the last status")
            },
            PaymentFeedContract(description: "A connection that ends is told, and made anew") { peer in
                let delegate = RecordingDelegate { _ in throw RecordingDelegate.CommitRefused() }
                try await serving(peer, delegate) {
                    try await delegate.subscribed()
                    try await peer.send([message("1")])
                    _ = try await delegate.disconnectionReason()
                    delegate.onCommit { _ in }
                    try await delegate.subscribed()
                }
            },
            PaymentFeedContract(
                description: "The first connection begins a session, which the broker has kept at the second"
            ) { peer in
                let delegate = RecordingDelegate { _ in throw RecordingDelegate.CommitRefused() }
                try await serving(peer, delegate) {
                    try await delegate.subscribed()
                    try demand(delegate.sessions.entries.map(\.isResumed), equals: [false], "the first session")
                    try await peer.send([message("1")])
                    _ = try await delegate.disconnectionReason()
                    delegate.onCommit { _ in }
                    try await delegate.subscribed()
                    // The feed may reconnect, and the delegate refuse once more, before the commit is allowed.
                    let sessions = delegate.sessions.entries.dropFirst()
                    try demand(sessions.allSatisfy(\.isResumed), equals: true, "that the others were kept")
                    let names = Set(delegate.sessions.entries.map(\.clientID))
                    try demand(names.count, equals: 1, "names of the sessions")
                }
            },
            PaymentFeedContract(description: "A feed that was stopped before it ran makes no connection") { peer in
                let delegate = RecordingDelegate()
                peer.feed.stop()
                await peer.feed.run(delegate: delegate)
                try demand(delegate.connections.entries, equals: [.stopped], "what was told of the connection")
            },
            PaymentFeedContract(
                description: "Cancelling the task that runs it stops it, and stopping twice does no harm"
            ) {
                peer in
                let delegate = RecordingDelegate()
                let running = Task { await peer.feed.run(delegate: delegate) }
                try await delegate.subscribed()
                running.cancel()
                await running.value
                peer.feed.stop()
                try demandOrder(of: delegate.connections.entries)
            },
        ]
    }
}

// MARK: What the clauses are made of

extension PaymentFeedContract {
    /// Runs the feed while `body` runs, stops it, and checks the rules that always hold.
    fileprivate static func serving(
        _ peer: any PaymentFeedPeer, _ delegate: RecordingDelegate, _ body: () async throws -> Void
    ) async throws {
        async let run: Void = peer.feed.run(delegate: delegate)
        do {
            try await body()
        } catch {
            peer.feed.stop()
            await run
            throw error
        }
        peer.feed.stop()
        await run
        try demandOrder(of: delegate.connections.entries)
        try demand(delegate.overlaps.entries, equals: [], "calls at the same time")
    }

    fileprivate static func demandOrder(of connections: [FeedConnection]) throws {
        var last: FeedConnection?
        for next in connections {
            let fits =
                switch (last, next) {
                case (nil, .connecting), (.disconnected, .connecting), (.connecting, .subscribed): true
                case (.connecting, .disconnected), (.subscribed, .disconnected): true
                case (.stopped, _): false
                case (_, .stopped): true
                default: false
                }
            guard fits else {
                throw PaymentFeedContractViolation(description: "connection out of order: \(connections)")
            }
            last = next
        }
        try demand(last, equals: .stopped, "the last that is told of the connection")
    }

    fileprivate static func expectReceipts(_ payloads: [String], _ peer: any PaymentFeedPeer) async throws {
        for payload in payloads {
            try demand(String(decoding: await peer.nextReceipt(), as: UTF8.self), equals: payload, "receipt")
        }
    }

    fileprivate static func expectDelivered(
        _ sequences: ClosedRange<Int>, _ delegate: RecordingDelegate
    ) async throws {
        var delivered: [Int64] = []
        while delivered.count < sequences.count { delivered += try await delegate.delivered.next() }
        try demand(delivered, equals: sequences.map(Int64.init), "receipts that were reported")
    }

    fileprivate static func message(_ text: String) -> FeedMessage {
        FeedMessage(topic: .payments, payload: Array(text.utf8))
    }

    fileprivate static func numbers(_ range: ClosedRange<Int>) -> [String] { range.map { "\($0)" } }

    fileprivate static func demand<Value: Equatable>(
        _ value: Value, equals expected: Value, _ what: String
    ) throws {
        guard value == expected else {
            throw PaymentFeedContractViolation(description: "\(what): expected \(expected), found \(value)")
        }
    }
}

extension RecordingDelegate {
    /// Every committed message. `isLive` is not part of the contract.
    fileprivate var committed: [FeedMessage] {
        batches.entries.flatMap { $0 }.map { message in
            var message = message
            message.isLive = false
            return message
        }
    }
}
