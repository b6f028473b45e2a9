import Glibc
import Logging
import SoundboxCore
import SoundboxSystem

/// Writes one line per event to standard error: time, level, event, then `key=value` pairs sorted by key.
///
///     let logger = Logger(label: "soundbox") { _ in LineLogHandler(level: .info) }
///     logger.info("stored", metadata: ["id": "A-1"])
///
/// Under systemd the journal keeps the time, and the level becomes the priority prefix of sd-daemon(3). Values come
/// from the network; ``LogLine`` escapes them, so that none can forge a line.
public struct LineLogHandler: LogHandler {
    public enum Style: Sendable {
        case terminal
        case journal

        /// systemd sets `JOURNAL_STREAM` for programs whose output goes to the journal (systemd.exec(5)).
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
        let pairs = metadata.merging(event.metadata ?? [:]) { _, new in new }.sorted { $0.key < $1.key }
        let line = LogLine(
            time: style == .terminal ? SystemClock.now : nil, level: event.level, message: event.message.description,
            pairs: pairs.map { LogLine.Pair($0.key, $0.value.description) })
        write(line.encoded + "\n")
    }

    /// One `write` per line, so that lines of several threads do not mix. A closed stderr is not an error.
    public static let writeToStandardError: @Sendable (String) -> Void = { line in
        var line = line
        line.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
