import Logging
import ServiceLifecycle
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import Synchronization

/// Keeps the ``ConnectionMark`` on the disk, and has stored payments spoken before a connection that may end the
/// program: see ``ConnectionStart``. Any thread.
package final class ConnectionKeeper: Sendable {
    /// The longest time to speak what waits: newer payments wait at the broker meanwhile.
    private static let timeToSpeak = Duration.seconds(60)

    private struct Content {
        var start: ConnectionStart
        var written: ConnectionMark?
        var subscribedSince: Duration?
        var hasHeld = false
    }

    private let content: Mutex<Content>
    private let store: Remembered<ConnectionMark>
    private let chosen: BrokerProtocol
    private let state: BoxState
    private let logger: Logger
    private let now: @Sendable () -> Duration
    private let lossWasHeard = OneTimeSignal()

    /// Blocks on the disk.
    ///
    /// - Parameters:
    ///   - boot: names this boot of Linux.
    ///   - chosen: the version of the configuration.
    ///   - now: the monotonic clock of this boot.
    package init(
        store: Remembered<ConnectionMark>, boot: String, chosen: BrokerProtocol, state: BoxState, logger: Logger,
        now: @escaping @Sendable () -> Duration = { .monotonicNow }
    ) {
        let mark = store.read()
        content = Mutex(Content(start: ConnectionStart(after: mark, boot: boot, now: now()), written: mark))
        (self.store, self.chosen, self.state, self.logger, self.now) = (store, chosen, state, logger, now)
        report()
    }

    /// Whether this start asks for MQTT 3.1.1 first.
    package var avoids5: Bool { content.withLock { $0.start.avoids5(chosen) } }

    /// Call at each change of the connection, before it is used. Blocks on the disk at the first one and the last one:
    /// a connection every second must not wear the card.
    func changed(to connection: FeedConnection) {
        switch connection {
        case .connecting: if !content.withLock({ $0.hasHeld }) { write(isOpen: true) }
        case .subscribed: content.withLock { $0.subscribedSince = now() }
        case .disconnected: content.withLock { $0.subscribedSince = nil }
        case .stopped: if content.withLock({ $0.written?.isOpen == true }) { write(isOpen: false) }
        }
    }

    /// Records a connection that has held. Blocks on the disk then; called with every status, once a minute at least.
    func recordIfHeld() {
        let isNews = content.withLock { content in
            guard !content.hasHeld, let since = content.subscribedSince, now() - since >= ConnectionStart.proof else {
                return false
            }
            content.hasHeld = true
            content.start.held()
            return true
        }
        guard isNews else { return }
        write(isOpen: false)
        report()
    }

    /// Returns when the connection may be begun: after an end of the program only when what is stored was spoken, and
    /// that the network is lost, or after a minute; then after a pause. Also at a shutdown.
    ///
    /// - Parameters:
    ///   - requests: has the prompt spoken; `nil` does not.
    ///   - hasWaiting: whether stored payments wait to be spoken. May block: called on `executor`.
    func speakFirst(
        prompting requests: AnnouncerRequests?, on executor: ThreadExecutor,
        while hasWaiting: @escaping @Sendable () -> Bool
    ) async {
        let start = content.withLock { $0.start }
        guard start.isAfterEnd else { return }
        state.update {
            $0.isStarting = false
            $0.connection = .disconnected(
                reason: "the program has ended soon after it had begun to connect: what is stored is spoken first",
                retryIn: start.pause)
        }
        // It is not heard, and nobody would wait for it, when the box is silent.
        let snapshot = state.snapshot
        let requests = snapshot.isMuted || snapshot.volume.level == 0 ? nil : requests
        requests?.say(.networkLost)
        try? await cancelWhenGracefulShutdown { [state, lossWasHeard] in
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await _ in state.changes(includingInbox: true) {
                        let isSpeaking = await Task(executorPreference: executor) { hasWaiting() }.value
                        if !isSpeaking, requests == nil || lossWasHeard.hasHappened { return }
                    }
                }
                group.addTask { try? await Task.sleep(for: Self.timeToSpeak) }
                await group.next()
                group.cancelAll()
            }
            try await Task.sleep(for: start.pause)
        }
    }

    /// Call when a prompt was heard. Any thread; never blocks.
    func heard(_ prompt: Prompt) {
        guard prompt == .networkLost else { return }
        lossWasHeard.signal()
        state.inboxChanged()
    }

    private func report() {
        let problem = content.withLock { $0.start.problem(chosen, hasHeld: $0.hasHeld) }
        state.update {
            $0.connectionFault = problem.flatMap { $0.isFault ? $0.text : nil }
            $0.connectionWarning = problem.flatMap { $0.isFault ? nil : $0.text }
        }
        guard let problem else { return }
        logger.log(level: problem.isFault ? .error : .warning, "connection", metadata: ["reason": "\(problem.text)"])
    }

    private func write(isOpen: Bool) {
        let mark = content.withLock { content -> ConnectionMark? in
            let mark = content.start.mark(isOpen: isOpen)
            defer { content.written = mark }
            return mark == content.written ? nil : mark
        }
        guard let mark else { return }
        do { try store.write(mark) } catch {
            // Payments are worth more than the mark, and the disk has its own fault.
            logger.warning("the connection could not be noted", metadata: ["reason": "\(error)"])
        }
    }
}

extension ConnectionKeeper: Feature {
    func fill(_ status: inout BoxStatus) { recordIfHeld() }
}
