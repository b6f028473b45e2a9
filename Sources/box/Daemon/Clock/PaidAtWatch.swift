import SoundboxCore

/// Notices that live payments are late by their `paid_at` alone: the provider's clock is wrong, or the box's. Pure.
///
/// A wrong clock makes payments of different times equally old. What a provider sends late, after a fault of its own,
/// comes at once: its ages differ as much as its times do.
package struct PaidAtWatch: Sendable, Equatable {
    /// A live payment that is older is late on its way, or by a clock.
    static let leastAge = Duration.seconds(300)
    /// The most by which the ages of one row differ.
    static let mostSpread = Duration.seconds(60)
    /// How many payments in a row show it.
    static let enough = 3

    /// Live payments in a row that are old and about equally so.
    private struct Row: Sendable, Equatable {
        var count = 0
        var ages: ClosedRange<Duration>
        var times: ClosedRange<Timestamp>

        init(_ age: Duration, _ paidAt: Timestamp) { (count, ages, times) = (1, age...age, paidAt...paidAt) }

        mutating func add(_ age: Duration, _ paidAt: Timestamp) {
            count += 1
            ages = min(ages.lowerBound, age)...max(ages.upperBound, age)
            times = min(times.lowerBound, paidAt)...max(times.upperBound, paidAt)
        }

        var spread: Duration { ages.upperBound - ages.lowerBound }
    }

    private var row: Row?

    package init() {}

    /// In words for people; `nil` while nothing is wrong. Ends with a live payment that is not old.
    package private(set) var fault: String?

    /// - Parameter now: from a clock that a time server has confirmed.
    mutating func arrived(paidAt: Timestamp, at now: Timestamp) {
        let age = now.duration(since: paidAt)
        guard age > Self.leastAge else {
            (row, fault) = (nil, nil)
            return
        }
        var longer = row ?? Row(age, paidAt)
        if row != nil { longer.add(age, paidAt) }
        row = longer.spread <= Self.mostSpread ? longer : Row(age, paidAt)
        guard let row, row.count >= Self.enough,
            row.spread * 2 < row.times.upperBound.duration(since: row.times.lowerBound)
        else { return }
        fault =
            "live payments are \(Self.about(row.ages.lowerBound)) old by paid_at: the provider's clock is behind, or its "
            + "time zone or this box's time server is wrong; compare both clocks"
    }

    /// In whole hours where it is nearly that, as with a wrong time zone.
    private static func about(_ age: Duration) -> String {
        let minutes = (age.components.seconds + 30) / 60
        let hours = (minutes + 5) / 60
        return hours > 0 && abs(minutes - hours * 60) <= 5 ? "about \(hours) h" : "about \(minutes) min"
    }
}
