import SoundboxCore

/// Tells whether a box comes online in time, while something is on trial: settings from afar, or a certificate.
package struct TrialWatch {
    enum Event { case online, late }

    /// From the start of the box on.
    package static let timeout = Duration.seconds(120)

    let state: BoxState
    /// How long the box may take. ``Event/late`` comes after each such time, should the disk not take it the first
    /// time.
    let timeout: Duration
    let tell: @Sendable (Event) -> Void

    /// Returns when it is cancelled.
    func run() async {
        await withDiscardingTaskGroup { [state, timeout, tell] group in
            group.addTask {
                for await snapshot in state.changes() where snapshot.connection == .subscribed {
                    tell(.online)
                    return
                }
            }
            group.addTask { while (try? await Task.sleep(for: timeout)) != nil { tell(.late) } }
        }
    }
}
