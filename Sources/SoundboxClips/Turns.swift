/// Lets so many tasks at a time pass, in the order in which they came.
actor Turns {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(atOnce: Int) { free = atOnce }

    /// Suspends until it is the caller's turn, which ends with ``give()``.
    func take() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    func give() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
