/// What a box tells of itself: retained on its status topic, to whoever asks on the control socket, and in its last will.
///
/// A box tells as much as it knows. One that is not in service has no volume, and the last will has little more than
/// ``isOnline``.
public struct BoxStatus: Sendable, Equatable {
    /// Whether payments can arrive.
    public var isOnline: Bool
    public var version: String
    /// The locales of the voices, the first one first.
    public var voice: String?
    /// In words for people.
    public var connection: String?
    /// When this was told, by the box's clock.
    public var time: Timestamp?
    public var merchantID: String?
    public var deviceID: String?
    /// Its address: where the box is connected, or was last; before that, all that are configured.
    public var broker: String?
    /// `nil` before the first connection.
    public var session: SessionStatus?
    /// As configured.
    public var audioDevice: String?
    /// What was agreed on with the sound card; `nil` while it is away.
    public var sound: DeviceStatus?
    /// 0–100; in force again when the box is no longer muted.
    public var volume: Int?
    public var isMuted: Bool?
    /// What the volume counts for at most, 0–100, while quiet hours last; `nil` at other times.
    public var quietVolume: Int?
    /// Quiet hours that the shop has set itself, `null` for none at all; they count in place of those of
    /// ``configuration``. `nil` where it has set nothing.
    public var shopQuietHours: JSONValue?
    /// `nil` where nothing can be announced: in the last will.
    public var isAnnouncing: Bool?
    /// The ring that waits for somebody to answer; `nil` when none does.
    public var ring: RingStatus?
    /// How often the sound card ran dry in the middle of an announcement since the start.
    public var xruns: Int?
    /// By which sign it knows the time.
    public var clock: ClockState?
    /// Since the start, in whole seconds.
    public var uptime: Duration?
    /// `nil` while the inbox cannot be asked; a fault then says why.
    public var counts: InboxCounts?
    /// What became of the settings that came last from afar; `nil` where none ever came.
    public var settings: SettingsStatus?
    /// What the keys of ``RemoteSettings`` hold, wherever they were set, but for the volume.
    public var configuration: JSONValue?
    /// Of the certificate that the box renews by itself; `nil` where it has none.
    public var certificate: CertificateStatus?
    /// `nil` where none was.
    public var noticesRefused: RefusedNotices?
    /// What is wrong, in words for people; empty when nothing is. `nil` in the last will.
    public var faults: [String]?
    /// What somebody should look at although the box does its work, in words for people; empty when there is nothing.
    /// `nil` in the last will, and from a box that is not in service.
    public var warnings: [String]?

    public init(isOnline: Bool, version: String, voice: String?) {
        self.isOnline = isOnline
        self.version = version
        self.voice = voice
    }

    /// What the broker publishes when the box vanishes.
    public static func lastWill(version: String, voice: String) -> BoxStatus {
        BoxStatus(isOnline: false, version: version, voice: voice)
    }
}

extension BoxStatus {
    /// Below this volume a shop that is not silent hears little.
    public static let leastVolume = 20

    /// Why what is said may not be heard, by the volume in force; `nil` where it will be, and of a box that is muted.
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

    /// What is unknown is left out; a sound card that is away and a voice that is not chosen are `null`.
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

    /// As ``json`` writes it. A member that is missing, unknown or of another kind counts as unknown, since the box may be
    /// of another version than its reader; `nil` for what has no state.
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
