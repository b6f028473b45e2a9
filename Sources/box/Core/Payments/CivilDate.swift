/// A day of the Gregorian calendar, without a place: the same date begins at different moments in different time zones.
public struct CivilDate: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Days since 1970-01-01; negative before it.
    public var daysSince1970: Int64

    public init(daysSince1970: Int64) { self.daysSince1970 = daysSince1970 }

    /// Reads `2026-11-22`. `nil` for anything else, including days that do not exist.
    public init?(_ text: String) {
        let fields = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard fields.map(\.count) == [4, 2, 2], fields.joined().allSatisfy(\.isDigit),
            let year = Int64(Substring(fields[0])), let month = Int64(Substring(fields[1])),
            let day = Int64(Substring(fields[2])),
            (1...12).contains(month), (1...Self.daysInMonth(month, year: year)).contains(day)
        else { return nil }
        daysSince1970 = Self.daysSince1970(year: year, month: month, day: day)
    }

    /// In ISO 8601: `2026-11-22`.
    public var description: String {
        let date = Self.date(daysSince1970: daysSince1970)
        return "\(pad(date.year, 4))-\(pad(date.month, 2))-\(pad(date.day, 2))"
    }

    public static func < (left: CivilDate, right: CivilDate) -> Bool { left.daysSince1970 < right.daysSince1970 }

    public static func + (date: CivilDate, days: Int64) -> CivilDate {
        CivilDate(daysSince1970: date.daysSince1970 + days)
    }

    public static func - (date: CivilDate, days: Int64) -> CivilDate { date + -days }

    // Days from civil and back: Howard Hinnant, "chrono-compatible low-level date algorithms", the proleptic
    // Gregorian calendar with years that begin in March.
    static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = shifted.quotientAndFloorRemainder(by: 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    static func date(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (days + 719_468).quotientAndFloorRemainder(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day)
    }

    static func daysInMonth(_ month: Int64, year: Int64) -> Int64 {
        switch month {
        case 2: isLeapYear(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    static func isLeapYear(_ year: Int64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
}

extension Int64 {
    package func quotientAndFloorRemainder(by divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
