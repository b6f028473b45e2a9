/// What a time zone does every year, as POSIX writes it in `TZ` (IEEE 1003.1, section 8.3, with the hours of RFC 8536,
/// section 3.3.1): `CST-8`, `CET-1CEST,M3.5.0,M10.5.0/3`.
struct RecurringRule: Sendable, Equatable {
    /// Seconds east of UTC.
    var standard: Int64
    var summer: Summer?

    struct Summer: Sendable, Equatable {
        var offset: Int64
        /// In standard time.
        var start: Day
        /// In summer time.
        var end: Day
    }

    /// A day of the year, and seconds since its midnight.
    struct Day: Sendable, Equatable {
        enum Name: Sendable, Equatable {
            /// 1 to 365, without 29 February.
            case julian(Int64)
            /// 0 to 365, with it.
            case ordinal(Int64)
            /// `week` 5 is the last; `weekday` 0 is Sunday.
            case weekday(month: Int64, week: Int64, weekday: Int64)
        }

        var name: Name
        var seconds: Int64

        /// Seconds since 1970-01-01 00:00 on the wall.
        func wall(in year: Int64) -> Int64 {
            let newYear = CivilDate.daysSince1970(year: year, month: 1, day: 1)
            let day: Int64 =
                switch name {
                case .julian(let number): newYear + number - (CivilDate.isLeapYear(year) && number >= 60 ? 0 : 1)
                case .ordinal(let number): newYear + number
                case .weekday(let month, let week, let weekday): Self.day(weekday, week, month, year)
                }
            return day * 86_400 + seconds
        }

        private static func day(_ weekday: Int64, _ week: Int64, _ month: Int64, _ year: Int64) -> Int64 {
            let first = CivilDate.daysSince1970(year: year, month: month, day: 1)
            let toFirst = (weekday - CivilDate.weekday(daysSince1970: first) + 7) % 7
            let inMonth = toFirst + (week - 1) * 7
            return first + (inMonth < CivilDate.daysInMonth(month, year: year) ? inMonth : inMonth - 7)
        }
    }

    /// The changes of the year of that moment and of its neighbours, in order.
    func changes(around second: Int64) -> [TimeZoneRules.Change] {
        guard let summer else { return [] }
        let day = second.quotientAndFloorRemainder(by: 86_400).0
        let year = CivilDate.date(daysSince1970: day).year
        let all = (year - 1...year + 1).flatMap { year in
            [
                (TimeZoneRules.Change(at: summer.end.wall(in: year) - summer.offset, offset: standard), 0),
                (TimeZoneRules.Change(at: summer.start.wall(in: year) - standard, offset: summer.offset), 1),
            ]
        }
        // Where summer time ends at the moment at which it begins again, it lasts all year.
        return all.sorted { ($0.0.at, $0.1) < ($1.0.at, $1.1) }.map(\.0)
    }

    func offset(at second: Int64) -> Int64? {
        guard summer != nil else { return standard }
        return changes(around: second).last { $0.at <= second }?.offset
    }
}

extension RecurringRule {
    /// `nil` for what is no such rule. One that names summer time without its dates is none: nobody writes that into a
    /// file, since what it means is up to the reader.
    init?(_ text: some Sequence<UInt8>) {
        var fields = Fields(bytes: Array(text))
        guard fields.takeName(), let west = fields.offset() else { return nil }
        standard = -west
        if !fields.isAtEnd {
            guard fields.takeName() else { return nil }
            var offset = standard + 3600
            if !fields.isNext(",") {
                guard let west = fields.offset() else { return nil }
                offset = -west
            }
            guard fields.take(","), let start = fields.day(), fields.take(","), let end = fields.day() else {
                return nil
            }
            summer = Summer(offset: offset, start: start, end: end)
        }
        guard fields.isAtEnd, TimeZoneRules.offsets.contains(standard),
            summer.map({ TimeZoneRules.offsets.contains($0.offset) }) ?? true
        else { return nil }
    }

    private struct Fields {
        let bytes: [UInt8]
        var position = 0

        var isAtEnd: Bool { position == bytes.count }
        func isNext(_ scalar: Unicode.Scalar) -> Bool {
            position < bytes.count && bytes[position] == UInt8(ascii: scalar)
        }

        mutating func take(_ scalar: Unicode.Scalar) -> Bool {
            guard isNext(scalar) else { return false }
            position += 1
            return true
        }

        /// Three letters or more, or anything between angle brackets.
        mutating func takeName() -> Bool {
            if take("<") {
                while !isAtEnd, !isNext(">") { position += 1 }
                return take(">")
            }
            let start = position
            while position < bytes.count, (0x41...0x5A).contains(bytes[position] & 0xDF) { position += 1 }
            return position - start >= 3
        }

        mutating func number(_ range: ClosedRange<Int64>) -> Int64? {
            let digits = bytes[position...].prefix(3).prefix { $0.isDigit }
            position += digits.count
            guard let number = Int64(String(decoding: digits, as: UTF8.self)), range.contains(number) else {
                return nil
            }
            return number
        }

        /// `[+-]hh[:mm[:ss]]`, in seconds.
        mutating func time(hours range: ClosedRange<Int64>) -> Int64? {
            let isNegative = take("-")
            if !isNegative { _ = take("+") }
            guard let hours = number(range) else { return nil }
            var seconds = hours * 3600
            for unit: Int64 in [60, 1] where take(":") {
                guard let count = number(0...59) else { return nil }
                seconds += count * unit
            }
            return isNegative ? -seconds : seconds
        }

        /// West of UTC.
        mutating func offset() -> Int64? { time(hours: 0...24) }

        mutating func day() -> Day? {
            guard let name = dayName() else { return nil }
            guard take("/") else { return Day(name: name, seconds: 2 * 3600) }
            return time(hours: 0...167).map { Day(name: name, seconds: $0) }
        }

        private mutating func dayName() -> Day.Name? {
            if take("J") { return number(1...365).map { .julian($0) } }
            guard take("M") else { return number(0...365).map { .ordinal($0) } }
            guard let month = number(1...12), take("."), let week = number(1...5), take("."),
                let weekday = number(0...6)
            else { return nil }
            return .weekday(month: month, week: week, weekday: weekday)
        }
    }
}
