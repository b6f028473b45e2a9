import ServiceLifecycle
import SoundboxSystem

/// Notices that new software is being installed: the package leaves a mark in a folder of root's meanwhile.
struct UpdateWatch: Service {
    /// How often it looks: an update takes longer. The mark is in memory, so that a look costs next to nothing but the
    /// wake-up, which the tolerance lets it share with others.
    static let interval = Duration.seconds(4)
    static let tolerance = Duration.seconds(1)

    /// Path of the mark; it is never opened.
    let mark: String
    let state: BoxState

    func run() async {
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            state.update { $0.isUpdating = SmallFile.exists(mark) }
            try? await cancelWhenGracefulShutdown {
                try await Task.sleep(for: Self.interval, tolerance: Self.tolerance)
            }
        }
    }
}
