import Glibc

/// One thing that is measured. Figures of different machines cannot be compared, so a benchmark gives ratios, or the
/// unit of each figure and how it was come by.
struct Benchmark: Sendable {
    var name: String
    var run: @Sendable () async throws -> [Figure]
}

/// One line of the table.
struct Figure: Sendable {
    var what: String
    var value: String

    init(_ what: String, _ value: String) {
        self.what = what
        self.value = value
    }
}

/// What the measurement stumbled on.
struct BenchmarkError: Error, CustomStringConvertible {
    var description: String
}

extension Duration {
    /// What the processor has worked for this process, all threads together.
    static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    var seconds: Double { self / .seconds(1) }
}
