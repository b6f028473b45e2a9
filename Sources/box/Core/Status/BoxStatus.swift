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
