import ServiceLifecycle
import SoundboxSystem

/// Notices that new software is being installed: the package leaves a file beside the control socket meanwhile, in a
/// folder that vanishes when the box is restarted.
struct UpdateWatch: Service {
    /// How often it looks. The folder is in memory, so that a look costs next to nothing.
    static let interval = Duration.seconds(2)
    static let fileName = "updating"

    let file: String
    let state: BoxState

    /// - Parameter folder: holds what lasts until the next start: the control socket's.
    init(folder: String, state: BoxState) {
        file = "\(folder)/\(Self.fileName)"
        self.state = state
    }

    func run() async {
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            state.update { $0.isUpdating = SmallFile.exists(file) }
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.interval) }
        }
    }
}
