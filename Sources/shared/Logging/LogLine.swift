import Logging
import SoundboxCore

/// One line of the log. A line can be read back exactly:
///
///     let line = LogLine(time: .now, level: .info, message: "stored", pairs: [.init("id", "A-1")])
///     LogLine(parsing: line.encoded) == line
///
/// `2026-11-21T02:15:00.250Z info stored amount="123.45 CNY" id=A-1`, or under systemd `<6>stored amount=…`: time and
/// level, the message, then pairs. A value is quoted unless it is plain; see ``Swift/String/quoted`` for the escapes.
/// `=` in a message is escaped, so the first `=` of a line belongs to the first pair. A text that is too long is cut
/// and ends in `\+n`: `n` bytes of UTF-8, or at the end of the line `n` pairs, are left out.
public struct LogLine: Sendable, Equatable {
    /// A message, a key or a value.
    public struct Text: Sendable, Equatable {
        public var text: String
        /// How many bytes of UTF-8 were cut off.
        public var bytesLeftOut = 0

        public init(_ text: String, bytesLeftOut: Int = 0) {
            self.text = text
            self.bytesLeftOut = bytesLeftOut
        }
    }

    public struct Pair: Sendable, Equatable {
        public var key: Text
        public var value: Text

        public init(_ key: String, _ value: String) { self.init(key: Text(key), value: Text(value)) }

        init(key: Text, value: Text) {
            self.key = key
            self.value = value
        }
    }

    /// `nil` under systemd: the journal keeps the time.
    public var time: Timestamp?
    /// Under systemd `trace` is written as `debug`: syslog(3) has no level below it.
    public var level: Logger.Level
    public var message: Text
    public var pairs: [Pair]
    public var pairsLeftOut = 0

    public init(time: Timestamp?, level: Logger.Level, message: String, pairs: [Pair]) {
        self.time = time
        self.level = level
        self.message = Text(message)
        self.pairs = pairs
    }

    /// The longest line in bytes, with its newline: `write` passes this much to a pipe in one piece (`PIPE_BUF`,
    /// pipe(7)). The journal would split a line longer than 48 KiB (journald.conf(5), `LineMax`).
    public static let mostBytes = 4096
    static let mostPairs = 32

    /// The line without its newline, shorter than ``mostBytes``.
    public var encoded: String {
        let shown = pairs.prefix(Self.mostPairs)
        // Message and pairs have equal room; time, level and the number of pairs left out take less than 96 bytes.
        let share = (Self.mostBytes - 96) / (shown.count + 1)
        var line =
            if let time { "\(time) \(level.rawValue) " } else { "<\(level.journalPriority)>" }
        line += message.escaped(limit: share) { $0 == "=" }
        for pair in shown {
            let key = pair.key.escaped(limit: Self.keyLimit) { !$0.isOfKey }
            line += " \(key)=\(pair.value.quotedWhereNeeded(limit: share - Self.keyLimit - 4))"
        }
        let leftOut = pairsLeftOut + pairs.count - shown.count
        return leftOut > 0 ? line + " \\+\(leftOut)" : line
    }

    private static let keyLimit = 48
}

extension LogLine.Text {
    /// Room for `\+` and any number.
    private static let markLimit = 22

    /// - Parameter limit: of the result in bytes of UTF-8, with its mark.
    fileprivate func escaped(limit: Int, _ isAlsoEscaped: (Unicode.Scalar) -> Bool) -> String {
        if bytesLeftOut == 0, text.utf8.count <= limit {
            let whole = text.escaped(isAlsoEscaped)
            if whole.utf8.count <= limit { return whole }
        }
        var (result, room, leftOut) = ("", limit - Self.markLimit, bytesLeftOut)
        var before: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            let form = room > 0 ? (isAlsoEscaped(scalar) ? scalar.escape : scalar.quotedForm(after: before)) : ""
            before = form == String(scalar) ? scalar : nil
            room = form.isEmpty || form.utf8.count > room ? 0 : room - form.utf8.count
            if room > 0 { result += form } else { leftOut += UTF8.width(scalar) }
        }
        return "\(result)\\+\(leftOut)"
    }

    fileprivate func quotedWhereNeeded(limit: Int) -> String {
        let inside = escaped(limit: limit) { _ in false }
        let isPlain = !text.isEmpty && inside == text && !text.unicodeScalars.contains { $0 == " " || $0 == "=" }
        return isPlain ? inside : "\"\(inside)\""
    }
}

extension Unicode.Scalar {
    /// Whether a key may contain it unescaped.
    fileprivate var isOfKey: Bool {
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".": true
        default: false
        }
    }
}

extension Logger.Level {
    /// The priority of syslog(3).
    var journalPriority: Int {
        switch self {
        case .critical: 2
        case .error: 3
        case .warning: 4
        case .notice: 5
        case .info: 6
        case .debug, .trace: 7
        }
    }

    init?(journalPriority: Int) {
        guard let level = Self.allCases.last(where: { $0.journalPriority == journalPriority }) else { return nil }
        self = level
    }
}
