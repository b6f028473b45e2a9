import Glibc
import Logging
import SoundboxCore

/// Writes one line per event to standard error: time, level, event, then `key=value` pairs sorted by key.
///
/// Under systemd the journal keeps the time, and the level becomes the priority that sd-daemon(3) puts in front of a
/// line. Values come from the network: what could break a line or a terminal is escaped.
public struct LineLogHandler: LogHandler {
    public enum Style: Sendable {
        case terminal
        case journal

        /// The journal sets `JOURNAL_STREAM` for programs whose output it takes (systemd.exec(5)).
        public static var ofThisProcess: Style { getenv("JOURNAL_STREAM") == nil ? .terminal : .journal }
    }

    public var logLevel: Logger.Level
    public var metadata: Logger.Metadata = [:]
    private let style: Style
    private let write: @Sendable (String) -> Void

    /// - Parameter write: takes one whole line with its newline, from any thread.
    public init(
        level: Logger.Level, style: Style = .ofThisProcess,
        write: @escaping @Sendable (String) -> Void = LineLogHandler.writeToStandardError
    ) {
        logLevel = level
        self.style = style
        self.write = write
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        var line =
            switch style {
            case .terminal: "\(Timestamp.now) \(event.level.rawValue) \(Self.escape(event.message.description))"
            case .journal: "<\(event.level.journalPriority)>\(Self.escape(event.message.description))"
            }
        let pairs = metadata.merging(event.metadata ?? [:]) { _, new in new }
        for (key, value) in pairs.sorted(by: { $0.key < $1.key }) {
            line += " \(key)=\(Self.quote(value.description))"
        }
        write(line + "\n")
    }

    /// One `write` for the whole line, so that lines of several threads do not mix. A closed stderr is not an error.
    public static let writeToStandardError: @Sendable (String) -> Void = { line in
        var line = line
        line.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    private static func quote(_ value: String) -> String {
        let needsQuotes = value.isEmpty || value.contains { $0 == " " || $0 == "\"" || $0 == "=" }
        let escaped = escape(value)
        return needsQuotes ? "\"\(escaped.replacing("\"", with: "\\\""))\"" : escaped
    }

    private static func escape(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: \.isUnsafeInALine) else { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            result += scalar.isUnsafeInALine ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
        }
    }
}

extension Unicode.Scalar {
    /// Control characters, line separators, and what turns the direction of writing round.
    fileprivate var isUnsafeInALine: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

extension Logger.Level {
    /// syslog(3)'s priorities.
    fileprivate var journalPriority: Int {
        switch self {
        case .critical: 2
        case .error: 3
        case .warning: 4
        case .notice: 5
        case .info: 6
        case .debug, .trace: 7
        }
    }
}
