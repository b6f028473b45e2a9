/// The state of a box: published on its status topic, answered on the control socket, and sent in its last will.
///
///     let status = try await ControlClient(socketPath: path).status()
///     for line in status.listing { print(line) }
///
/// A box reports what it knows. One that is not in service has no volume, and the last will has little more than
/// ``isOnline``.
public struct BoxStatus: Sendable, Equatable {
    /// Whether payments can arrive.
    public var isOnline: Bool
    public var version: String
    /// The locales of the voices, in order.
    public var voice: String?
    /// In words for people.
    public var connection: String?
    /// When this was reported, by the box's clock.
    public var time: Timestamp?
    public var merchantID: String?
    public var deviceID: String?
    /// The broker's address: of the current or last connection; before the first one, all configured addresses.
    public var broker: String?
    /// `nil` before the first connection.
    public var session: SessionStatus?
    /// As configured.
    public var audioDevice: String?
    /// What the box and the sound card agreed on; `nil` while there is no card.
    public var sound: DeviceStatus?
    /// 0–100; in force again when the box is unmuted.
    public var volume: Int?
    public var isMuted: Bool?
    /// The upper limit of the volume, 0–100, during quiet hours; `nil` at other times.
    public var quietVolume: Int?
    /// Quiet hours that the shop has set itself, `null` for none at all. They replace those of ``configuration``. `nil`
    /// if the shop has set nothing.
    public var shopQuietHours: JSONValue?
    /// `nil` in the last will, where nothing can be announced.
    public var isAnnouncing: Bool?
    /// The ring that waits for an answer; `nil` when none does.
    public var ring: RingStatus?
    /// How often the sound card ran dry in the middle of an announcement since the start.
    public var xruns: Int?
    /// How the box knows the time.
    public var clock: ClockState?
    /// Since the start, in whole seconds.
    public var uptime: Duration?
    /// `nil` while the inbox cannot be read; a fault then says why.
    public var counts: InboxCounts?
    /// The result of the newest remote settings; `nil` if none ever came.
    public var settings: SettingsStatus?
    /// The values of all ``RemoteSettings`` keys but the volume, wherever they were set.
    public var configuration: JSONValue?
    /// Of the certificate that the box renews; `nil` if it has none.
    public var certificate: CertificateStatus?
    /// `nil` if none was refused.
    public var noticesRefused: RefusedNotices?
    /// What is wrong, for people; empty when nothing is. `nil` in the last will.
    public var faults: [String]?
    /// What somebody should look at although the box works, for people; empty when there is nothing. `nil` in the last
    /// will, and from a box that is not in service.
    public var warnings: [String]?

    public init(isOnline: Bool, version: String, voice: String?) {
        self.isOnline = isOnline
        self.version = version
        self.voice = voice
    }

    /// The message that the broker publishes when the box vanishes.
    public static func lastWill(version: String, voice: String) -> BoxStatus {
        BoxStatus(isOnline: false, version: version, voice: voice)
    }
}

extension BoxStatus {
    /// Below this volume hardly anything is heard in a shop with background noise.
    public static let leastVolume = 20

    /// Why speech may not be heard at the current volume; `nil` if it will be, and if the box is muted.
    public var volumeWarning: String? {
        guard let volume, isMuted != true else { return nil }
        if volume == 0 { return "the volume is 0: nothing is heard" }
        if volume < Self.leastVolume { return "the volume is \(volume): payments may not be heard" }
        guard let quietVolume, quietVolume < Self.leastVolume else { return nil }
        let hours = shopQuietHours ?? configuration?["announce"]?["quiet_hours"]
        let end = hours?["to"]?.string.map { " until \($0)" } ?? ""
        return "quiet hours hold the volume at \(quietVolume)\(end)"
    }
}

// MARK: On the wire

extension BoxStatus {
    private static let online = "online"

    /// Unknown values are left out; a missing sound card and a voice that is not chosen are `null`.
    public var json: JSONValue {
        var members: [(name: String, value: JSONValue)] = []
        func add(_ name: String, _ value: JSONValue?) { if let value { members.append((name, value)) } }
        add("state", .string(isOnline ? Self.online : "offline"))
        add("connection", connection.map { .string($0) })
        add("at", time.map { .string("\($0)") })
        add("merchant", merchantID.map { .string($0) })
        add("device", deviceID.map { .string($0) })
        add("broker", broker.map { .string($0) })
        if let session {
            add("session", .string(session.isResumed ? SessionStatus.resumed : "new"))
            add("session_epoch", .integer(session.epoch))
            add("session_since", .string("\(session.began)"))
        }
        add("version", .string(version))
        add("voice", voice.map { .string($0) } ?? .null)
        if let audioDevice {
            add("audio", .string(audioDevice))
            add("sound", sound?.json ?? .null)
        }
        add("volume", volume.map { .integer($0) })
        add("muted", isMuted.map { .bool($0) })
        add("quiet_volume", quietVolume.map { .integer($0) })
        add("shop_quiet_hours", shopQuietHours)
        if let isAnnouncing {
            add("announcing", .bool(isAnnouncing))
            add("ring", ring?.json ?? .null)
        }
        add("xruns", xruns.map { .integer($0) })
        add("clock", clock.map { .string($0.rawValue) })
        add("uptime_s", uptime.map { .integer($0.components.seconds) })
        add("queued", counts.map { .integer($0.waiting) })
        add("announced", counts.map { .integer($0.announced) })
        add("receipts_waiting", counts.map { .integer($0.receiptsWaiting) })
        add("settings", settings?.json)
        add("configuration", configuration)
        add("certificate", certificate?.json)
        add("notices_refused", noticesRefused?.json)
        add("faults", faults.map { .array($0.map { .string($0) }) })
        add("warnings", warnings.map { .array($0.map { .string($0) }) })
        return .object(members)
    }

    /// Reads ``json``. A missing, unknown or malformed member counts as unknown, since the box may have another version
    /// than its reader; `nil` for JSON without a state.
    public init?(decoding json: JSONValue) {
        guard let state = json["state"]?.string else { return nil }
        self.init(
            isOnline: state == Self.online, version: json["version"]?.string ?? "unknown", voice: json["voice"]?.string)
        connection = json["connection"]?.string
        time = json["at"]?.string.flatMap(Timestamp.init(rfc3339:))
        merchantID = json["merchant"]?.string
        deviceID = json["device"]?.string
        broker = json["broker"]?.string
        session = SessionStatus(decoding: json)
        audioDevice = json["audio"]?.string
        sound = json["sound"].flatMap(DeviceStatus.init(decoding:))
        volume = json["volume"]?.integer
        isMuted = json["muted"]?.bool
        quietVolume = json["quiet_volume"]?.integer
        shopQuietHours = json["shop_quiet_hours"]
        isAnnouncing = json["announcing"]?.bool
        ring = json["ring"].flatMap(RingStatus.init(decoding:))
        xruns = json["xruns"]?.integer
        clock = json["clock"]?.string.flatMap(ClockState.init)
        uptime = json["uptime_s"]?.integer.map { .seconds($0) }
        if let waiting = json["queued"]?.integer, let announced = json["announced"]?.integer,
            let receipts = json["receipts_waiting"]?.integer
        {
            counts = InboxCounts(waiting: waiting, announced: announced, receiptsWaiting: receipts)
        }
        settings = json["settings"].flatMap(SettingsStatus.init(decoding:))
        configuration = json["configuration"]
        certificate = json["certificate"].flatMap(CertificateStatus.init(decoding:))
        noticesRefused = json["notices_refused"].flatMap(RefusedNotices.init(decoding:))
        if case .array(let elements)? = json["faults"] { faults = elements.compactMap(\.string) }
        if case .array(let elements)? = json["warnings"] { warnings = elements.compactMap(\.string) }
    }
}

/// How the box knows the time. The raw values are used in the status.
public enum ClockState: String, Sendable, CaseIterable {
    /// The kernel follows a time server, or has done so since the clock was last set.
    case synchronised
    /// Nothing contradicts the clock, and no time server has confirmed it.
    case unconfirmed
    /// It shows less than the known lower bound, which is used instead.
    case behind
    /// Payments arrive that were paid long ago by this clock: nothing counts as late.
    case doubtful
    /// It shows a time before this program existed: nothing counts as late.
    case unset
    /// It shows an impossible year.
    case wrong
    /// The kernel cannot be asked: a sandbox forbids it.
    case unreadable

    /// In words for people.
    public var summary: String {
        switch self {
        case .synchronised: "synchronised, says the kernel"
        case .unconfirmed:
            "not confirmed by a time server, says the kernel; believed as far as nothing speaks against it"
        case .behind: "behind what is known for certain, which counts instead"
        case .doubtful: "ahead of payments that come just now; nothing counts as late by it"
        case .unset: "not set; nothing counts as late by it"
        case .wrong: "shows a year that cannot be"
        case .unreadable: "the kernel may not be asked whether it is synchronised; look for ProtectClock in the unit"
        }
    }
}

/// A ring that waits for an answer.
public struct RingStatus: Sendable, Equatable {
    public var id: CommandID
    /// Until its timeout; not negative.
    public var secondsLeft: Int

    public init(id: CommandID, secondsLeft: Int) {
        self.id = id
        self.secondsLeft = secondsLeft
    }

    public var json: JSONValue {
        .object([("id", .string(id.text)), ("seconds_left", .integer(secondsLeft))])
    }

    /// Reads ``json``; `nil` for anything else.
    public init?(decoding json: JSONValue) {
        guard let text = json["id"]?.string, let id = try? CommandID(text), let left = json["seconds_left"]?.integer
        else { return nil }
        self.init(id: id, secondsLeft: left)
    }

    /// In words for people.
    public var summary: String { "\(id), for \(secondsLeft) s" }
}

/// What the box reports about its session at the broker.
public struct SessionStatus: Sendable, Equatable {
    /// Whether the broker still knew the session at the last connection.
    public var isResumed: Bool
    /// Counts the sessions: see ``SessionRecord/epoch``.
    public var epoch: Int
    /// When the box first saw this session.
    public var began: Timestamp

    public init(isResumed: Bool, epoch: Int, began: Timestamp) {
        self.isResumed = isResumed
        self.epoch = epoch
        self.began = began
    }

    static let resumed = "resumed"

    /// Reads `session`, `session_epoch` and `session_since` of a status.
    init?(decoding status: JSONValue) {
        guard let session = status["session"]?.string, let epoch = status["session_epoch"]?.integer,
            let began = status["session_since"]?.string.flatMap(Timestamp.init(rfc3339:))
        else { return nil }
        self.init(isResumed: session == Self.resumed, epoch: epoch, began: began)
    }

    var summary: String { "\(isResumed ? Self.resumed : "new"), the box's number \(epoch), since \(began)" }
}

/// What a device and the box agreed on, and the device's counters.
public struct DeviceStatus: Sendable, Equatable {
    public var format: PCMFormat
    /// Frames that the device holds; 0 when it holds none, or is closed.
    public var bufferFrames: Int
    /// How often the device ran dry in the middle of an announcement since the start.
    public var xrunCount: Int

    public init(format: PCMFormat, bufferFrames: Int = 0, xrunCount: Int = 0) {
        self.format = format
        self.bufferFrames = bufferFrames
        self.xrunCount = xrunCount
    }

    /// Without ``xrunCount``, which the status also reports while there is no device.
    public var json: JSONValue {
        .object([
            ("rate", .integer(format.sampleRate)), ("channels", .integer(format.channelCount)),
            ("encoding", .string(format.encoding.rawValue)), ("period_frames", .integer(format.framesPerPeriod)),
            ("buffer_frames", .integer(bufferFrames)),
        ])
    }

    /// Reads ``json``; `nil` for anything else.
    public init?(decoding json: JSONValue) {
        guard let rate = json["rate"]?.integer, let channels = json["channels"]?.integer,
            let encoding = json["encoding"]?.string.flatMap(SampleEncoding.init(rawValue:)),
            let period = json["period_frames"]?.integer, let buffer = json["buffer_frames"]?.integer
        else { return nil }
        self.init(
            format: PCMFormat(sampleRate: rate, channelCount: channels, encoding: encoding, framesPerPeriod: period),
            bufferFrames: buffer)
    }
}

extension DeviceStatus {
    /// For people: rate, channels, encoding, period and buffer.
    public var summary: String {
        func time(_ frames: Int) -> String {
            "\(frames) frames (\(format.duration(ofFrames: frames) / .milliseconds(1)) ms)"
        }
        let channels = format.channelCount == 1 ? "1 channel" : "\(format.channelCount) channels"
        let buffer = bufferFrames > 0 ? " of \(time(bufferFrames)) of buffer" : ""
        return "\(format.sampleRate) Hz, \(channels), \(format.encoding.rawValue), "
            + "periods of \(time(format.framesPerPeriod))\(buffer)"
    }
}

/// What the box reports about the newest settings.
public struct SettingsStatus: Sendable, Equatable {
    public enum Result: String, Sendable, CaseIterable {
        case applied
        /// In use, and not final until the box has been online with them.
        case trial
        /// Not in force: the settings before are, or `soundbox.yaml` alone.
        case failed
    }

    public var id: CommandID
    public var at: Timestamp
    public var result: Result
    public var reason: String?

    package init(id: CommandID, at: Timestamp, _ result: Result, reason: String? = nil) {
        (self.id, self.at, self.result, self.reason) = (id, at, result, reason)
    }

    var json: JSONValue {
        .object(
            [("id", .string(id.text)), ("at", .string("\(at)")), ("result", .string(result.rawValue))]
                + (reason.map { [("reason", .string($0))] } ?? []))
    }

    init?(decoding json: JSONValue) {
        guard let id = json["id"]?.string.flatMap({ try? CommandID($0) }),
            let at = json["at"]?.string.flatMap(Timestamp.init(rfc3339:)),
            let result = json["result"]?.string.flatMap(Result.init)
        else { return nil }
        (self.id, self.at, self.result, reason) = (id, at, result, json["reason"]?.string)
    }

    /// A text for people; `nil` unless they are not in force.
    public var warning: String? {
        guard result == .failed else { return nil }
        return "the settings \(id) from afar are not in force: \(reason ?? "no reason known")"
    }

    var summary: String { "\(id), \(result.rawValue)\(reason.map { ": \($0)" } ?? "")" }
}
