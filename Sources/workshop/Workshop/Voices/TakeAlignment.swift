import Glibc

/// Matches the phrases of a take with those of a script by their lengths.
///
/// A guess, to help find a mistake in a sound editor. No recording is named by it.
struct TakeAlignment {
    /// A place where take and script differ.
    struct Slip: Equatable {
        /// The index of the phrase of the take that is extra, or before which others are missing. May be one past the
        /// last.
        var found: Int
        /// The index of the expected phrase of the script. May be one past the last.
        var expected: Int
    }

    /// The cost of leaving out a phrase, as a base-2 logarithm of a ratio of lengths. A phrase that is twice as long as
    /// usual is still more likely the phrase itself.
    private static let costOfSlip = 1.5

    /// - Parameters:
    ///   - found: the length of each phrase of the take, above zero, in any unit.
    ///   - expected: the usual length of each phrase of the script, above zero, in any unit.
    /// - Returns: the first place where they differ; `nil` for none.
    static func firstSlip(found: [Double], expected: [Double]) -> Slip? {
        // Relative lengths, so that units do not matter.
        func relative(_ lengths: [Double]) -> [Double] {
            let logarithms = lengths.map { log2(max($0, 1e-6)) }
            let mean = logarithms.reduce(0, +) / Double(max(1, logarithms.count))
            return logarithms.map { $0 - mean }
        }
        let (left, right) = (relative(found), relative(expected))
        // The least cost from each pair of places on, computed from the end.
        let width = right.count + 1
        var costs = [Double](repeating: 0, count: (left.count + 1) * width)
        func cost(_ i: Int, _ j: Int) -> Double { costs[i * width + j] }
        func costOfPair(_ i: Int, _ j: Int) -> Double { abs(left[i] - right[j]) }
        for i in (0...left.count).reversed() {
            for j in (0...right.count).reversed() where i < left.count || j < right.count {
                var least = Double.infinity
                if i < left.count, j < right.count { least = costOfPair(i, j) + cost(i + 1, j + 1) }
                if i < left.count { least = min(least, Self.costOfSlip + cost(i + 1, j)) }
                if j < right.count { least = min(least, Self.costOfSlip + cost(i, j + 1)) }
                costs[i * width + j] = least
            }
        }
        var (i, j) = (0, 0)
        while i < left.count, j < right.count, costOfPair(i, j) + cost(i + 1, j + 1) <= cost(i, j) {
            (i, j) = (i + 1, j + 1)
        }
        return i < left.count || j < right.count ? Slip(found: i, expected: j) : nil
    }
}
