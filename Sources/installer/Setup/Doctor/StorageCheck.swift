import SoundboxSystem

/// Checks that stored payments and the setup survive a power cut.
struct StorageCheck {
    let stateDirectory: String
    /// The folder of `soundbox.yaml` and of the secrets.
    let setupFolder: String

    /// Blocks on the disk.
    func finding() -> Finding {
        finding(state: PowerLoss(in: stateDirectory), setup: PowerLoss(in: setupFolder))
    }

    func finding(state: PowerLoss, setup: PowerLoss) -> Finding {
        let payments = "payments that wait are gone after a power cut, and spoken ones are spoken again"
        switch (state, setup) {
        case (.gone(let reason), _):
            return Finding("storage", .red, "\(stateDirectory): \(payments): \(reason)", advice: Self.advice)
        case (_, .gone(let reason)):
            return Finding(
                "storage", .red, "\(setupFolder): the setup is gone after a power cut: \(reason)", advice: Self.advice)
        case (.expected(let reason), _):
            return Finding(
                "storage", .amber, "\(stateDirectory): \(payments): \(reason)", advice: "for trials only")
        case (.kept, _): return Finding("storage", .green, "\(stateDirectory) is there after a power cut")
        }
    }

    private static let advice =
        "turn the overlay file system off (sudo raspi-config), or give this folder a partition of its own; see "
        + "\"State in RAM\" in docs/operations.md"
}
