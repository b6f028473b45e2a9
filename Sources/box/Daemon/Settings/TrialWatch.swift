import SoundboxCore

/// Reports whether the box comes online in time with remote settings or a certificate on trial.
package struct TrialWatch {
    enum Event { case online, late }

    /// Counted from the start of the box.
    package static let timeout = Duration.seconds(120)

    let state: BoxState
    /// How long the box may take. ``Event/late`` repeats after each timeout, in case the disk refused the first time.
    let timeout: Duration
    let tell: @Sendable (Event) -> Void

    /// Returns when the task is cancelled.
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
