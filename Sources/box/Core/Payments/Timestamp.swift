/// A point in time to the millisecond, without a calendar library: the core needs only RFC 3339 and differences.
///
///     let time = Timestamp(rfc3339: "2026-11-21T10:15:00+08:00")!
///     print(time)  // 2026-11-21T02:15:00.000Z
public struct Timestamp: Sendable, Hashable, Comparable, CustomStringConvertible {
    public var millisecondsSince1970: Int64

    public init(millisecondsSince1970: Int64) {
        self.millisecondsSince1970 = millisecondsSince1970
    }

    /// Reads RFC 3339, `2026-11-21T10:15:00+08:00` or `2026-11-21T02:15:00.250Z`, and what standard libraries write in
    /// its place where that has one meaning only:
    ///
    /// - no seconds (`2026-11-21T10:15Z`: Java leaves out `:00`), a comma before their fraction (ISO 8601, Python);
    /// - an offset of `+0800` (ISO 8601, PHP), `+08` (PostgreSQL), behind a blank or as ` UTC` (Ruby, Foundation);
    /// - a time zone's name behind the offset: `+08:00[Asia/Shanghai]` (Java, RFC 9557). The offset counts.
    ///
    /// `nil` for anything else; see ``expected(_:)``.
    public init?(rfc3339 text: String) {
        var fields = FieldReader(bytes: Array(text.utf8))
        guard let year = fields.digits(4), fields.consume("-"), let month = fields.digits(2), fields.consume("-"),
            let day = fields.digits(2), fields.consumeAny("Tt "), let hour = fields.digits(2), fields.consume(":"),
            let minute = fields.digits(2), (1...12).contains(month),
            (1...CivilDate.daysInMonth(month, year: year)).contains(day), hour < 24, minute < 60
        else { return nil }
        var (second, milliseconds): (Int64, Int64) = (0, 0)
        if fields.consume(":") {
            guard let digits = fields.digits(2), digits <= 60 else { return nil }
            second = digits
            if fields.consumeAny(".,") {
                guard let fraction = fields.fraction() else { return nil }
                milliseconds = fraction
            }
        }
        guard let offset = fields.offsetMinutes(), fields.skipZoneName(), fields.isAtEnd else { return nil }
        let minutes = (CivilDate.daysSince1970(year: year, month: month, day: day) * 24 + hour) * 60 + minute - offset
        millisecondsSince1970 = (minutes * 60 + second) * 1000 + milliseconds
    }

    /// For an error about a text that ``init(rfc3339:)`` does not read: what was expected, and what is wrong with it
    /// where that is known.
    package static func expected(_ text: String?) -> String {
        let reason = text.flatMap(problem).map { "; \($0)" } ?? ""
        return "expected a time such as 2026-11-21T10:15:00+08:00 (RFC 3339)\(reason)"
    }

    private static func problem(_ text: String) -> String? {
        if text.utf8.allSatisfy(\.isDigit), !text.isEmpty { return "a number is no time here" }
        if text.wholeMatch(of: /\d{4}-?W\d\d(-?\d)?([T ].*)?/) != nil { return "a week is no date" }
        if text.wholeMatch(of: /\d{4}-?\d{3}([T ].*)?/) != nil { return "the day of a year is no date" }
        if CivilDate(text) != nil { return "the time of day is missing" }
        if Timestamp(rfc3339: text + "Z") != nil { return "the offset from UTC is missing, such as +08:00 or Z" }
        return nil
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

package func pad(_ number: Int64, _ width: Int) -> String {
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

    /// `Z`, `±hh:mm`, `±hhmm` or `±hh`, also behind a blank, where `UTC` may be in its place; in minutes east of UTC.
    mutating func offsetMinutes() -> Int64? {
        if consume(" "), consume("U") { return consume("T") && consume("C") ? 0 : nil }
        if consumeAny("Zz") { return 0 }
        let isEast = consume("+")
        guard isEast || consume("-"), let hours = digits(2) else { return nil }
        let hasColon = consume(":")
        guard let minutes = hasColon || !isAtEnd && bytes[position].isDigit ? digits(2) : 0, hours < 24, minutes < 60
        else { return nil }
        return (isEast ? 1 : -1) * (hours * 60 + minutes)
    }

    /// Skips `[Asia/Shanghai]`, where one is there. `[!…]` asks a reader that does not know the zone to refuse the time.
    mutating func skipZoneName() -> Bool {
        guard consume("[") else { return true }
        let name = bytes[position...].prefix {
            $0.isDigit || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0
                || UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || "/_+-:".utf8.contains($0)
        }
        position += name.count
        return !name.isEmpty && consume("]")
    }

    mutating func consume(_ scalar: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: scalar) else { return false }
        position += 1
        return true
    }

    mutating func consumeAny(_ scalars: String) -> Bool {
        guard position < bytes.count, scalars.utf8.contains(bytes[position]) else { return false }
        position += 1
        return true
    }
}

/// How far to trust a time of the box's clock.
public enum ClockTrust: Int64, Sendable, CaseIterable, Comparable {
    /// The clock was not set, something contradicted it, or it has been set since.
    case none = 0
    /// Nothing contradicts it, and no time server has confirmed it. Times of one run of the box can be compared.
    case unconfirmed = 1
    /// It followed a time server. Times can be compared whatever happened to the clock, or the box, in between.
    case confirmed = 2

    public static func < (left: ClockTrust, right: ClockTrust) -> Bool { left.rawValue < right.rawValue }
}

/// What the box knows about the current time.
public struct ClockReading: Sendable, Equatable {
    /// The best known time, to be stored.
    public var time: Timestamp
    public var trust: ClockTrust
    /// A lower bound of the time, whatever the clock shows; `nil` when none is known.
    public var earliest: Timestamp?
    /// A lower bound of the time that only a time server has given, which no message can move; `nil` when none is known.
    public var proven: Timestamp?

    /// - Parameters:
    ///   - earliest: ignored, as `proven` is, if a time server has confirmed the time, which is then both bounds.
    public init(
        _ time: Timestamp, _ trust: ClockTrust = .confirmed, earliest: Timestamp? = nil, proven: Timestamp? = nil
    ) {
        self.time = time
        self.trust = trust
        self.earliest = trust == .confirmed ? time : earliest
        self.proven = trust == .confirmed ? time : proven
    }

    /// `nil` unless a time server has confirmed it.
    public var confirmed: Timestamp? { trust == .confirmed ? time : nil }

    /// `nil` while the clock must not be used.
    public var believed: Timestamp? { trust > .none ? time : nil }
}
