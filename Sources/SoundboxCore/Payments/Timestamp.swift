/// A point in time to the millisecond, without a calendar library: the core needs only RFC 3339 and differences.
///
///     let time = Timestamp(rfc3339: "2026-11-21T10:15:00+08:00")!
///     print(time)  // 2026-11-21T02:15:00.000Z
public struct Timestamp: Sendable, Hashable, Comparable, CustomStringConvertible {
    public var millisecondsSince1970: Int64

    public init(millisecondsSince1970: Int64) {
        self.millisecondsSince1970 = millisecondsSince1970
    }

    /// Reads RFC 3339: `2026-11-21T10:15:00+08:00`, `2026-11-21T02:15:00.250Z`; and `+0800`, as ISO 8601 allows. `nil`
    /// for anything else.
    public init?(rfc3339 text: String) {
        var fields = FieldReader(bytes: Array(text.utf8))
        guard let year = fields.digits(4), fields.take("-"), let month = fields.digits(2), fields.take("-"),
            let day = fields.digits(2), fields.takeAny("Tt "), let hour = fields.digits(2), fields.take(":"),
            let minute = fields.digits(2), fields.take(":"), let second = fields.digits(2),
            (1...12).contains(month), (1...CivilDate.daysInMonth(month, year: year)).contains(day), hour < 24,
            minute < 60,
            second <= 60
        else { return nil }
        var milliseconds: Int64 = 0
        if fields.take(".") {
            guard let fraction = fields.fraction() else { return nil }
            milliseconds = fraction
        }
        guard let offset = fields.offsetMinutes(), fields.isAtEnd else { return nil }
        let minutes = (CivilDate.daysSince1970(year: year, month: month, day: day) * 24 + hour) * 60 + minute - offset
        millisecondsSince1970 = (minutes * 60 + second) * 1000 + milliseconds
    }

    /// RFC 3339 in UTC with milliseconds.
    public var description: String {
        let (day, millisecond) = millisecondsSince1970.quotientAndFloorRemainder(by: 86_400_000)
        let date = CivilDate.date(daysSince1970: day)
        let clock = [millisecond / 3_600_000, millisecond / 60_000 % 60, millisecond / 1000 % 60].map { pad($0, 2) }
        return "\(pad(date.year, 4))-\(pad(date.month, 2))-\(pad(date.day, 2))T\(clock.joined(separator: ":"))"
            + ".\(pad(millisecond % 1000, 3))Z"
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.millisecondsSince1970 < right.millisecondsSince1970
    }

    /// From `other` to this; negative when this is earlier. For any two times, where an Int64 could overflow.
    public func duration(since other: Timestamp) -> Duration {
        .milliseconds(millisecondsSince1970) - .milliseconds(other.millisecondsSince1970)
    }

    /// Parts of a millisecond are left out.
    public static func + (time: Timestamp, span: Duration) -> Timestamp {
        Timestamp(millisecondsSince1970: time.millisecondsSince1970 + Int64(span / .milliseconds(1)))
    }
}

func pad(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

private struct FieldReader {
    let bytes: [UInt8]
    var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func digits(_ count: Int) -> Int64? {
        let slice = bytes[position...].prefix(count)
        guard slice.count == count, slice.allSatisfy(\.isDigit) else { return nil }
        position += count
        return Int64(String(decoding: slice, as: UTF8.self))
    }

    /// Digits after the point of a second, as milliseconds; finer digits are cut off.
    mutating func fraction() -> Int64? {
        let slice = bytes[position...].prefix { $0.isDigit }
        guard !slice.isEmpty else { return nil }
        position += slice.count
        let milliseconds = slice.prefix(3) + repeatElement(UInt8(ascii: "0"), count: max(0, 3 - slice.count))
        return Int64(String(decoding: milliseconds, as: UTF8.self))
    }

    /// `Z`, `±hh:mm` or `±hhmm`, in minutes east of UTC.
    mutating func offsetMinutes() -> Int64? {
        if takeAny("Zz") { return 0 }
        let isEast = take("+")
        guard isEast || take("-"), let hours = digits(2) else { return nil }
        _ = take(":")
        guard let minutes = digits(2), hours < 24, minutes < 60 else { return nil }
        return (isEast ? 1 : -1) * (hours * 60 + minutes)
    }

    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: scalar) else { return false }
        position += 1
        return true
    }

    mutating func takeAny(_ scalars: String) -> Bool {
        guard position < bytes.count, scalars.utf8.contains(bytes[position]) else { return false }
        position += 1
        return true
    }
}
