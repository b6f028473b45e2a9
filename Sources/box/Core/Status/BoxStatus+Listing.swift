extension BoxStatus {
    /// For people: one line for each known value, with labels and values in two columns, and one more line for each
    /// further fault. Control characters are escaped, so that nothing can control a terminal.
    public var listing: [String] {
        let width = (rows.map(\.label.count).max() ?? 0) + 3
        return rows.flatMap { label, values in
            values.enumerated().map { index, value in
                let label = index == 0 ? label + ":" : ""
                return label + String(repeating: " ", count: width - label.count) + value.printable
            }
        }
    }

    private var rows: [(label: String, values: [String])] {
        var rows: [(label: String, values: [String])] = []
        func add(_ label: String, _ value: String?) { if let value { rows.append((label, [value])) } }
        add("connection", connection ?? (isOnline ? "online" : "offline"))
        add("merchant", merchantID)
        add("device", deviceID)
        add("broker", broker)
        add("session", session?.summary)
        add("version", version)
        add("voice", voice)
        add("audio device", audioDevice)
        if audioDevice != nil { add("sound card", sound?.summary ?? "not open") }
        add("volume", volume.map { "\($0)" })
        add("muted", isMuted.map { $0 ? "yes" : "no" })
        add(
            "set by the shop",
            shopQuietHours.map { hours in
                guard let from = hours["from"]?.string, let to = hours["to"]?.string else { return "no quiet hours" }
                return "quiet hours from \(from) to \(to)"
            })
        add("quiet hours", quietVolume.map { $0 == 0 ? "now; nothing is heard" : "now; volume at most \($0)" })
        add("announcing", isAnnouncing.map { $0 ? "yes" : "no" })
        add("ringing", ring?.summary)
        add("sound broke off", xruns.map { $0 == 0 ? "never" : $0 == 1 ? "once" : "\($0) times" })
        add("clock", clock?.summary)
        add("running for", uptime?.inWords)
        add("settings from afar", settings?.summary)
        add("certificate", certificate?.summary)
        if let counts {
            add("waiting", "\(counts.waiting)")
            add("announced", "\(counts.announced)")
            add("receipts to be sent", "\(counts.receiptsWaiting)")
        }
        add("notices refused", noticesRefused?.summary)
        if let faults { rows.append(("faults", faults.isEmpty ? ["none"] : faults)) }
        if let warnings, !warnings.isEmpty { rows.append(("warnings", warnings)) }
        return rows
    }
}

extension Duration {
    /// Seconds with one decimal: "1.3 s".
    public var inTenths: String {
        let tenths = Int64((self / .milliseconds(100)).rounded())
        return "\(tenths / 10).\(tenths % 10) s"
    }

    /// The two largest units: "3 days 4 hours", "1 minute 5 seconds", "0 seconds". Never negative.
    var inWords: String {
        let seconds = max(0, components.seconds)
        let units = [("day", seconds / 86_400), ("hour", seconds / 3600 % 24), ("minute", seconds / 60 % 60)]
        let parts = (units + [("second", seconds % 60)]).drop { $0.1 == 0 }.prefix(2).filter { $0.1 > 0 }
        guard !parts.isEmpty else { return "0 seconds" }
        return parts.map { "\($0.1) \($0.0)\($0.1 == 1 ? "" : "s")" }.joined(separator: " ")
    }
}

/// The notices of the last 24 hours that were not announced because of their content.
public struct RefusedNotices: Sendable, Equatable {
    public struct Notice: Sendable, Equatable {
        /// `nil` when it could not be read.
        public var id: PaymentID?
        /// As in its receipt.
        public var reason: String
        /// When it came, by the box's clock.
        public var at: Timestamp

        public init(id: PaymentID?, reason: String, at: Timestamp) {
            self.id = id
            self.reason = reason
            self.at = at
        }

        fileprivate var summary: String { (id.map { "\($0): " } ?? "") + reason }
    }

    /// Greater than zero.
    public var count: Int
    public var last: Notice

    public init(count: Int, last: Notice) {
        self.count = count
        self.last = last
    }

    public var json: JSONValue {
        let id = PaymentID.members(of: last.id)
        return .object([
            ("count", .integer(count)),
            ("last", .object(id + [("reason", .string(last.reason)), ("at", .string("\(last.at)"))])),
        ])
    }

    /// Reads ``json``; `nil` for anything else.
    public init?(decoding json: JSONValue) {
        guard let count = json["count"]?.integer, let last = json["last"], let reason = last["reason"]?.string,
            let at = last["at"]?.string.flatMap(Timestamp.init(rfc3339:))
        else { return nil }
        self.init(count: count, last: Notice(id: PaymentID(receipt: last), reason: reason, at: at))
    }

    /// One sentence for people.
    public var warning: String {
        let counted =
            count == 1 ? "1 notice of the last 24 hours was" : "\(count) notices of the last 24 hours were"
        return "\(counted) not announced; the last: \(last.summary)"
    }

    /// In words for people.
    var summary: String { "\(count) in 24 hours, the last at \(last.at): \(last.summary)" }
}
