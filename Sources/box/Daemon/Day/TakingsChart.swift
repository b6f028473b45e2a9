import SoundboxCore

/// The takings by the hour or by the day, and their total, from entries of the history as the box reports them.
///
///     guard var chart = TakingsChart(of: answer) else { return }
///     for entry in answer["entries"]?.elements ?? [] { _ = try chart.add(entry) }
///     for lines in chart.charts(width: 80) { print(lines.joined(separator: "\n")) }
///
/// An entry's time is written in the box's time zone, so local time is read from it without the zone's rules, also for
/// zones with half-hour offsets. An hour that occurs twice is one bar.
public struct TakingsChart: Sendable {
    /// More bars make no useful chart.
    public static let mostDays: Int64 = 31
    /// The longest business day, on which the clock is set back. A range up to this is drawn by the hour.
    private static let longestDay = Duration.seconds(25 * 3600)
    private static let narrowestBar = 8

    /// The totals of all entries with a time. A range of the history contains no others.
    public private(set) var totals = Totals()

    private let from: Timestamp?
    private let to: Timestamp?
    /// Minutes after midnight.
    private let cutOver: Int64
    private var earliest: Timestamp?
    private var latest: Timestamp?
    /// By hours of local time since 1970-01-01.
    private var hours: [Currency: [Int64: Totals.Count]] = [:]
    /// By business days since 1970-01-01.
    private var days: [Currency: [Int64: Totals.Count]] = [:]

    /// For the range and the days of an answer about the history: its `from`, `to` and `cut_over`.
    /// - Returns: `nil` when it is no such answer.
    public init?(of answer: JSONValue) {
        guard let cutOver = answer["cut_over"]?.string.flatMap(Self.minuteOfDay) else { return nil }
        self.cutOver = cutOver
        from = answer["from"]?.string.flatMap(Timestamp.init(rfc3339:))
        to = answer["to"]?.string.flatMap(Timestamp.init(rfc3339:))
    }

    /// Counts one of the answer's entries.
    /// - Returns: whether it could be read.
    /// - Throws: when there are more days than ``mostDays``.
    public mutating func add(_ entry: JSONValue) throws(ControlRefusal) -> Bool {
        guard let kind = entry["kind"]?.string.flatMap(PaymentNotice.Kind.init(rawValue:)),
            let amount = entry["amount"]?.string, let amount = try? DecimalNumber(amount),
            let currency = entry["currency"]?.string.flatMap({ Currency($0) }),
            let state = entry["state"]?.string.flatMap(NoticeState.init(rawValue:)),
            let isTimed = entry["time_known"]?.bool, let text = entry["received_at"]?.string,
            let time = Timestamp(rfc3339: text), let wall = Self.minutesOnTheWall(text)
        else { return false }
        // Entries without a time occur in a range over all of history; they are counted with the totals.
        guard isTimed else { return true }
        let money = Money(amount, currency)
        totals.count(kind, money, channel: entry["channel"]?.string, isCancelled: state == .cancelled)
        guard kind == .payment, state != .cancelled else { return true }
        var payment = Totals.Count()
        (payment.count, payment.sum) = (1, ExactSum(amount))
        let hour = wall.quotientAndFloorRemainder(by: 60).0
        let day = (wall - cutOver).quotientAndFloorRemainder(by: 1440).0
        hours[currency, default: [:]].merge([hour: payment], uniquingKeysWith: +)
        days[currency, default: [:]].merge([day: payment], uniquingKeysWith: +)
        earliest = min(earliest ?? time, time)
        latest = max(latest ?? time, time)
        guard let range = Self.range(of: days), range.count <= Self.mostDays else {
            throw ControlRefusal(
                .invalid,
                "a chart holds \(Self.mostDays) days, and there are payments of more; choose fewer with --from and --to"
            )
        }
        return true
    }

    /// A chart for each currency with payments, in alphabetical order of the codes: a bar for each hour of a range that
    /// is no longer than a day, else for each day, from the first one with payments to the last one. The highest count
    /// fills the width.
    /// - Parameter width: columns of a terminal.
    public func charts(width: Int) -> [[String]] {
        guard let begin = from ?? earliest, let end = to ?? latest else { return [] }
        let isByHour = end.duration(since: begin) <= Self.longestDay
        let bars = isByHour ? hours : days
        guard let range = Self.range(of: bars) else { return [] }
        return bars.sorted { $0.key.code < $1.key.code }.map { currency, bars in
            let counts = range.map { bars[$0] ?? Totals.Count() }
            let sums = Self.aligned(counts.map(\.sum))
            var table = Table(headings: [isByHour ? "hour" : "day", "payments", "\(currency)"], right: [1, 2])
            let rows = zip(range, zip(counts, sums)).map { position, bar in
                [Self.label(position, isByHour: isByHour), "\(bar.0.count)", bar.1]
            }
            let lines = table.lines(rows)
            let most = counts.map(\.count).max() ?? 0
            let room = max(width - (lines.map(\.columns).max() ?? 0) - 2, Self.narrowestBar)
            return lines.prefix(1)
                + zip(lines.dropFirst(), counts).map { line, bar in
                    bar.count == 0 ? line : "\(line)  \(Self.bar(bar.count, of: most, room: room))"
                }
        }
    }

    private static func range(of bars: [Currency: [Int64: Totals.Count]]) -> ClosedRange<Int64>? {
        let positions = bars.values.flatMap(\.keys)
        guard let first = positions.min(), let last = positions.max() else { return nil }
        return first...last
    }

    private static func label(_ position: Int64, isByHour: Bool) -> String {
        isByHour
            ? "\(pad(position.quotientAndFloorRemainder(by: 24).1, 2)):00" : "\(CivilDate(daysSince1970: position))"
    }

    /// In eighths of a column, rounded, and at least one.
    private static func bar(_ count: Int, of most: Int, room: Int) -> String {
        let eighths = max((count * room * 8 + most / 2) / most, 1)
        let part = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
        return String(repeating: "█", count: eighths / 8) + part
    }

    /// With as many decimals as the finest of them has, so that their points are aligned.
    private static func aligned(_ sums: [ExactSum]) -> [String] {
        let texts = sums.map(\.description)
        func decimals(_ text: String) -> Int { text.split(separator: ".").dropFirst().first?.utf8.count ?? 0 }
        let most = texts.map(decimals).max() ?? 0
        return texts.map { text in
            guard most > 0, text.utf8.last.map(\.isDigit) == true else { return text }
            let own = decimals(text)
            return text + (own == 0 ? "." : "") + String(repeating: "0", count: most - own)
        }
    }

    /// The local time of an RFC 3339 time, in minutes since 1970-01-01T00:00, ignoring its offset.
    private static func minutesOnTheWall(_ text: String) -> Int64? {
        let (date, time) = (text.prefix(10), text.dropFirst(11).prefix(5))
        guard let date = CivilDate(String(date)), let minute = minuteOfDay(String(time)) else { return nil }
        return date.daysSince1970 * 1440 + minute
    }

    private static func minuteOfDay(_ text: String) -> Int64? {
        let fields = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard fields.map(\.count) == [2, 2], fields.joined().allSatisfy(\.isDigit),
            let hour = Int64(Substring(fields[0])), let minute = Int64(Substring(fields[1])), hour < 24, minute < 60
        else { return nil }
        return hour * 60 + minute
    }
}
