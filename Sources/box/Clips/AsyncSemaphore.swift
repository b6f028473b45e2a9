/// A counting semaphore for tasks, which are served in order of arrival.
actor AsyncSemaphore {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Parameter value: how many tasks pass at a time.
    init(value: Int) { free = value }

    /// Suspends until a place is free. Each call needs one call of ``signal()``.
    func wait() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    func signal() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
