import SoundboxCore

extension Panel {
    /// Shows a pattern until the task is cancelled, or for as long as it changes.
    /// - Throws: why the lights or the motor cannot be driven any more.
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
