import Logging
import ServiceLifecycle
import SoundboxCore
import SoundboxSystem

/// Tells receivers what became of payments, at least once.
///
///     let callbacks = CallbackService(receivers: receivers, store: store, metrics: metrics, logger: logger)
///     callbacks.eventsAreWaiting()
///
/// A thread for each receiver, and one for each attempt: one that hangs delays neither payments nor other receivers.
package final class CallbackService: Service {
    private let loops: [ReceiverLoop]

    package init(
        receivers: [CallbackReceiver], store: any CallbackStore, metrics: GatewayMetrics, logger: Logger
    ) {
        loops = receivers.map { ReceiverLoop(receiver: $0, store: store, metrics: metrics, logger: logger) }
    }

    /// Sends soon, and not only within a second. Any thread; never blocks.
    package func eventsAreWaiting() { for loop in loops { loop.mailbox.append(.eventsAreWaiting) } }

    package func run() async throws {
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for loop in loops {
                    group.addTask {
                        try await onOwnThread(named: "callbacks") {
                            var loop = loop
                            loop.run()
                        }
                    }
                }
                try await group.waitForAll()
            }
        } onCancelOrGracefulShutdown: { [loops] in
            for loop in loops { loop.mailbox.append(.stop) }
        }
    }
}

/// One receiver's thread: reads what is due, has it sent, and stores what came of it. A value that the thread owns.
private struct ReceiverLoop: Sendable {
    enum Event: Sendable {
        case eventsAreWaiting
        case answered(Callback, CallbackReceiver.Answer, sentAt: Duration)
        case stop
    }

    let receiver: CallbackReceiver
    let store: any CallbackStore
    let metrics: GatewayMetrics
    let logger: Logger
    let mailbox = BlockingQueue<Event>()
    /// About single callbacks: thousands may wait.
    private let lines = RateLimit()

    /// Sent, and not answered or not noted yet.
    private var underWay: Set<Int64> = []
    /// Answers that the store does not have yet.
    private var results: [CallbackResult] = []
    private var health = ReceiverHealth()
    /// Whether the store's failure is in the log.
    private var storeFails = false
    /// When it ends in any case; `nil` while it is not stopped.
    private var end: Duration?

    init(receiver: CallbackReceiver, store: any CallbackStore, metrics: GatewayMetrics, logger: Logger) {
        self.receiver = receiver
        self.store = store
        self.metrics = metrics
        self.logger = logger
    }

    /// Answers that come later than that after the stop are not noted, and their events are sent again.
    private static let timeToFinish = Duration.seconds(2)

    mutating func run() {
        while true {
            receive()
            do throws(StoreError) {
                try storeResults()
                if let end, underWay.isEmpty || .monotonicNow >= end { return }
                if end == nil { try send() }
                storeFails = false
            } catch {
                if end != nil { return }
                if !storeFails { complain("callbacks cannot be read or noted", "\(error)") }
                storeFails = true
            }
        }
    }

    /// Takes what has come; waits for it, a second at most.
    private mutating func receive() {
        var deadline = Duration.monotonicNow + .seconds(1)
        while case .element(let event) = mailbox.next(until: deadline) {
            switch event {
            case .eventsAreWaiting: break
            case .answered(let callback, let answer, let start): apply(answer, to: callback, sentAt: start)
            case .stop: end = .monotonicNow + Self.timeToFinish
            }
            // What is there already.
            deadline = .zero
        }
    }

    private mutating func apply(_ answer: CallbackReceiver.Answer, to callback: Callback, sentAt start: Duration) {
        switch answer {
        case .taken:
            if !health.isGood, lines.take() != nil {
                logger.info("callbacks are taken again", metadata: ["receiver": "\(receiver.name)"])
            }
            health.succeeded()
            results.append(CallbackResult(number: callback.number, outcome: .taken))
        case .refused(let reason):
            if health.isGood, lines.take() != nil { complain("a callback is not taken: it is sent again", reason) }
            health.failed(sentAt: start, at: .monotonicNow)
            let again = store.clock.now.running + CallbackRules.pause(after: callback.attempts + 1)
            results.append(CallbackResult(number: callback.number, outcome: .refused(reason, again: again)))
        }
    }

    private mutating func storeResults() throws(StoreError) {
        guard !results.isEmpty else { return }
        try store.record(results, at: store.clock.now)
        for result in results {
            underWay.remove(result.number)
            metrics.count(result.outcome, of: receiver.name)
        }
        results = []
    }

    private mutating func send() throws(StoreError) {
        let room = health.room(inFlight: underWay.count, at: .monotonicNow)
        guard room > 0 else { return }
        let due = try store.dueCallbacks(
            of: receiver.name, at: store.clock.now.running, limit: room + underWay.count)
        for callback in due.filter({ !underWay.contains($0.number) }).prefix(room) {
            underWay.insert(callback.number)
            startThread(named: "callback") { [receiver, mailbox] in
                let start = Duration.monotonicNow
                mailbox.append(.answered(callback, receiver.send(callback, at: SystemClock.now), sentAt: start))
            }
        }
    }

    private func complain(_ what: String, _ reason: String) {
        logger.warning("\(what)", metadata: ["receiver": "\(receiver.name)", "reason": "\(reason)"])
    }
}
