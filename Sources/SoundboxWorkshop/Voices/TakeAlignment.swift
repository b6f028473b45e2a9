import Glibc

/// Which phrase of a script each phrase of a take is most likely to be, judged by how long they are.
///
/// A guess, for whoever looks for a mistake in a sound editor; nothing is ever named by it.
struct TakeAlignment {
    /// What is expected at a place, and was not found there, or the other way round.
    struct Slip: Equatable {
        /// A phrase of the take: the one that is too many, or the one at which others are missing. May be one past the
        /// last.
        var found: Int
        /// The phrase of the script that is expected there. May be one past the last.
        var expected: Int
    }

    /// In the logarithm to base 2 of a ratio of lengths: what leaving out a phrase costs. Twice as long as usual is still
    /// rather the phrase itself.
    private static let costOfSlip = 1.5

    /// - Parameters:
    ///   - found: how long each phrase of the take is, in any unit above zero.
    ///   - expected: how long each phrase of the script usually is, in any unit above zero.
    /// - Returns: the first place where the two part; `nil` where they never do.
    static func firstSlip(found: [Double], expected: [Double]) -> Slip? {
        // Each in its own unit: what counts is how long a phrase is among the others.
        func relative(_ lengths: [Double]) -> [Double] {
            let logarithms = lengths.map { log2(max($0, 1e-6)) }
            let mean = logarithms.reduce(0, +) / Double(max(1, logarithms.count))
            return logarithms.map { $0 - mean }
        }
        let (left, right) = (relative(found), relative(expected))
        // The least cost of what comes from each pair of places on, found from the end.
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
