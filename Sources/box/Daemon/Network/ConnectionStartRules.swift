import SoundboxCore

/// What a start has left on the disk about its connection to the broker, so that the next one knows how it ended:
/// libmosquitto aborts the process on some packets, and nothing else would tell.
package struct ConnectionMark: Sendable, Equatable {
    /// The boot of Linux that wrote it. After a power cut it is another one, and the mark says nothing.
    package var boot: String
    /// A connection was begun, none has held since, and the program has not ended in good order.
    package var isOpen: Bool
    /// How many starts have ended with an open mark.
    package var ends: Int
    /// When the last of these ends was found, on the monotonic clock of this boot; whole seconds.
    package var lastEnd: Int

    package init(boot: String, isOpen: Bool, ends: Int, lastEnd: Int) {
        (self.boot, self.isOpen, self.ends, self.lastEnd) = (boot, isOpen, ends, lastEnd)
    }

    package var json: JSONValue {
        .object([
            ("boot", .string(boot)), ("open", .bool(isOpen)), ("ends", .integer(ends)),
            ("last_end_s", .integer(lastEnd)),
        ])
    }

    /// Reads ``json``; `nil` for anything else.
    package init?(decoding json: JSONValue) {
        guard let boot = json["boot"]?.string, let isOpen = json["open"]?.bool, let ends = json["ends"]?.integer,
            (0...Self.mostEnds).contains(ends), let lastEnd = json["last_end_s"]?.integer
        else { return nil }
        self.init(boot: boot, isOpen: isOpen, ends: ends, lastEnd: lastEnd)
    }

    /// So that counting never overflows.
    fileprivate static let mostEnds = 1_000_000
}

/// Decides how a start connects to the broker when earlier ones have ended soon after they had begun to:
///
///     let start = ConnectionStart(after: mark, boot: boot, now: .monotonicNow)
///     if start.isAfterEnd { speak(what: waits); sleep(for: start.pause) }
///     connect(avoiding5: start.avoids5(chosen))
///
/// A value without a clock and a disk.
package struct ConnectionStart: Sendable, Equatable {
    /// A subscribed connection that is this old has held, and its end is none of those that are counted. What ends the
    /// program ends it within a second: in CONNACK, SUBACK or the first messages. A minute has room for a slow card and
    /// a backlog, and is also the interval of the status, which looks for it.
    static let proof = Duration.seconds(60)
    /// Ends count for so many seconds after the last one.
    static let memory = 24 * 3600
    /// From this number of ends on, MQTT 3.1.1 is spoken. One end may have another cause, as a kill.
    static let fallback = 2
    static let shortestPause = Duration.seconds(10)
    static let longestPause = Duration.seconds(300)

    private let boot: String
    /// How many starts of this boot have ended before a connection held.
    private(set) var ends = 0
    private var lastEnd = 0
    /// The start right before this one has ended so.
    let isAfterEnd: Bool

    /// - Parameters:
    ///   - mark: what an earlier start has left; `nil` for nothing.
    ///   - boot: names this boot of Linux.
    ///   - now: on the monotonic clock of this boot.
    package init(after mark: ConnectionMark?, boot: String, now: Duration) {
        self.boot = boot
        let second = Int(now.components.seconds)
        guard let mark, mark.boot == boot else {
            isAfterEnd = false
            return
        }
        isAfterEnd = mark.isOpen
        // One end before a run that ended in good order was chance.
        if second - mark.lastEnd < Self.memory, mark.isOpen || mark.ends >= Self.fallback {
            (ends, lastEnd) = (mark.ends, mark.lastEnd)
        }
        if isAfterEnd { (ends, lastEnd) = (min(ends + 1, ConnectionMark.mostEnds), second) }
    }

    func mark(isOpen: Bool) -> ConnectionMark {
        ConnectionMark(boot: boot, isOpen: isOpen, ends: ends, lastEnd: lastEnd)
    }

    /// Call when a connection has held: the next end begins with the shortest pause again. The version stays.
    mutating func held() { ends = min(ends, Self.fallback) }

    /// Whether to ask for MQTT 3.1.1 first, where the configuration chose this version. A broker that speaks only MQTT 5
    /// is asked for that then.
    func avoids5(_ chosen: BrokerProtocol) -> Bool { chosen == .auto && ends >= Self.fallback }

    /// How long to wait before the connection, besides the time to speak what waits. Zero while a new remedy is tried.
    var pause: Duration {
        guard isAfterEnd, ends > Self.fallback else { return .zero }
        return min(Self.shortestPause * (1 << min(ends - Self.fallback - 1, 10)), Self.longestPause)
    }

    /// What is wrong, in words for people; `nil` for nothing.
    /// - Parameter hasHeld: whether a connection of this start has held.
    /// - Returns: a fault when the box can do no more by itself.
    func problem(_ chosen: BrokerProtocol, hasHeld: Bool) -> (text: String, isFault: Bool)? {
        guard ends > 0, !(hasHeld && ends < Self.fallback) else { return nil }
        let times = ends == 1 ? "once" : "\(ends) times"
        let happened = "the program ended \(times) soon after it had begun to connect to the broker"
        guard ends >= Self.fallback else {
            return ("\(happened): look why in journalctl -u soundbox; after the next end MQTT 3.1.1 is spoken", false)
        }
        switch chosen {
        case .auto:
            let isCured = hasHeld || ends == Self.fallback
            return (
                "\(happened): MQTT 3.1.1 is spoken, for a day; "
                    + (isCured
                        ? "the broker's answers in MQTT 5 may be to blame: tell who runs it, or set "
                            + "broker.protocol: \"3.1.1\""
                        : "that did not help: look why in journalctl -u soundbox, and tell who runs the broker"),
                !isCured
            )
        case .v5:
            return (
                "\(happened), and broker.protocol is \"5\": set it to \"3.1.1\", and tell who runs the broker", !hasHeld
            )
        case .v311:
            return ("\(happened): look why in journalctl -u soundbox, and tell who runs the broker", !hasHeld)
        }
    }
}
