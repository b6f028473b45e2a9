import SoundboxCore

extension Panel {
    /// Shows a pattern until it no longer changes, or until the task is cancelled.
    /// - Throws: why the lights or the motor failed.
    package func play(_ pattern: OutputPattern) async throws(PanelError) {
        let clock = ContinuousClock()
        let start = clock.now
        while !Task.isCancelled {
            let moment = pattern.moment(at: clock.now - start)
            try set(moment.outputs)
            guard let remaining = moment.remaining else { return }
            try? await clock.sleep(for: remaining)
        }
    }
}
