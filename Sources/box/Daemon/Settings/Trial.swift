import ServiceLifecycle
import SoundboxCore

/// A service that may have something on trial. If it has nothing, both functions do nothing.
protocol TrialOwner: Actor {
    /// Keeps what is on trial, because the box is online with it. Called again if the disk has refused.
    func putInForce()
    /// Restores what was before, because the box was not online in time. Called again if the disk has refused.
    /// - Returns: whether the box must be made again.
    func giveUp() -> Bool
}

/// The trial of remote settings or a certificate: it ends the box so that it is made again with them, and keeps them
/// only if the box then comes online.
///
///     trial.begin()                                             // when new ones are on the disk
///     hasChanged = await trial.run(for: self, isOnTrial: true)  // in the box made with them
package struct Trial: Sendable {
    private enum Event { case begun, online, late }

    /// Counted from the start of the box.
    package static let timeout = Duration.seconds(120)

    private let state: BoxState
    /// How long the box may take to come online.
    let timeout: Duration
    private let events: AsyncStream<Event>
    private let event: AsyncStream<Event>.Continuation

    init(state: BoxState, timeout: Duration) {
        (self.state, self.timeout) = (state, timeout)
        (events, event) = AsyncStream.makeStream()
    }

    /// Ends the box. Any thread.
    func begin() { event.yield(.begun) }

    /// Decides the trial, and waits for the next one to begin.
    ///
    /// - Parameter isOnTrial: whether this box was made with something on trial.
    /// - Returns: whether the box must be made again, or `false` at shutdown.
    func run(for owner: some TrialOwner, isOnTrial: Bool) async -> Bool {
        await withTaskGroup { group in
            if isOnTrial { group.addTask { await watch() } }
            defer { group.cancelAll() }
            // Stays true if the disk refuses to keep what is on trial; the next event tries again.
            var wasOnline = false
            for await event in events.cancelOnGracefulShutdown() {
                let isOver: Bool
                switch event {
                case .begun: isOver = true
                case .late where !wasOnline: isOver = await owner.giveUp()
                case .online, .late:
                    wasOnline = true
                    await owner.putInForce()
                    isOver = false
                }
                guard isOver else { continue }
                // Wait for a ring to end: otherwise it would be reported as missed.
                await state.waitWhileRinging()
                return true
            }
            return false
        }
    }

    /// Reports whether the box comes online in time. Returns when the task is cancelled.
    private func watch() async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await snapshot in state.changes() where snapshot.connection == .subscribed {
                    event.yield(.online)
                    return
                }
            }
            // Repeats, in case the disk has refused.
            group.addTask { while (try? await Task.sleep(for: timeout)) != nil { event.yield(.late) } }
        }
    }
}
