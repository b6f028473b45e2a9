import Glibc
import SoundboxCore
import SoundboxSystem

/// NetworkManager's connection profiles. NetworkManager reads the folder at its start and at `nmcli connection reload`.
/// Files are used instead of `nmcli device wifi connect`, which needs the network in range and shows the password in
/// `ps`.
struct WiFiProfiles: Sendable, Equatable {
    /// One file for each network, owned by root and readable only by root; NetworkManager ignores others
    /// (https://networkmanager.dev/docs/api/latest/nm-settings-keyfile.html).
    var folder = "/etc/NetworkManager/system-connections"

    /// Why no profile can be installed; `nil` if one can. Blocks on the disk.
    var problem: String? {
        SmallFile.exists(folder)
            ? nil : "Wi-Fi is not set up: NetworkManager is not installed here (there is no \(folder))"
    }

    /// The file of a network. Each network has its own name, so that a new one does not replace another.
    func path(_ network: WiFiNetwork) -> String { "\(folder)/soundbox-\(network.name.utf8.hexadecimal).nmconnection" }

    /// The earlier profile of a network whose password changes. NetworkManager tries it if the new one fails.
    private func previousPath(_ network: WiFiNetwork) -> String {
        "\(folder)/soundbox-\(network.name.utf8.hexadecimal)-before.nmconnection"
    }

    /// Blocks on the disk.
    func isInstalled(_ network: WiFiNetwork) -> Bool { (try? SmallFile.read(path(network))) == network.keyfile }

    /// Adds the network's profile. Blocks on the disk.
    func install(_ network: WiFiNetwork) throws(FileError) {
        let path = path(network)
        if let before = try? SmallFile.read(path) {
            guard before != network.keyfile else { return }
            let earlier = before.replacing(WiFiNetwork.firstChoice, with: WiFiNetwork.secondChoice)
            try write(earlier, to: previousPath(network))
        }
        try write(network.keyfile, to: path)
    }

    private func write(_ text: String, to path: String) throws(FileError) {
        try SmallFile.replace(
            path, with: text, mode: 0o600, owner: geteuid() == 0 ? FileOwner(user: 0, group: 0) : nil)
    }
}

extension WiFiNetwork {
    fileprivate static let firstChoice = "autoconnect-priority=2"
    fileprivate static let secondChoice = "autoconnect-priority=1"

    /// The profile in the format of nm-settings-keyfile(5).
    ///
    /// The name of the network is written as bytes, because the text `12;34` would be read as bytes. `wpa-psk` covers
    /// WPA2 and WPA3. The priority is higher than 0, the default of other profiles, and higher than that of an earlier
    /// password. The UUID is derived from the file name.
    var keyfile: String {
        let ssid = name.utf8.map { "\($0);" }.joined()
        let security = password.map { "\n[wifi-security]\nkey-mgmt=wpa-psk\npsk=\($0.value.inKeyfile)\n" } ?? ""
        return """
            # Written by `soundbox setup`.
            [connection]
            id=\("soundbox \(name)".inKeyfile)
            type=wifi
            \(Self.firstChoice)

            [wifi]
            mode=infrastructure
            ssid=\(ssid)\(isHidden ? "\nhidden=true" : "")
            \(security)
            [ipv4]
            method=auto

            [ipv6]
            method=auto

            """
    }
}

extension String {
    /// Escaped for GLib's key files, where a backslash begins an escape and blanks at the ends are lost.
    fileprivate var inKeyfile: String { replacing("\\", with: "\\\\").replacing(" ", with: "\\s") }
}

/// A Wi-Fi network in a provisioning file.
struct WiFiNetwork: Sendable, Equatable {
    /// SSID, 1 to 32 bytes of UTF-8 (IEEE 802.11-2020, 9.4.2.2).
    let name: String
    /// `nil` for an open network.
    let password: Secret?
    /// ISO 3166-1, two capital letters. It decides the allowed channels and power.
    let country: String
    /// Whether the network does not send its name.
    let isHidden: Bool

    /// - Throws: ``YAMLError`` that repeats no value.
    init(reading value: YAMLValue) throws(YAMLError) {
        let mapping = try value.mapping()
        let ssid = try mapping.required("ssid")
        let password = mapping.optional("password")
        let country = try mapping.required("country")
        let hidden = mapping.optional("hidden")
        try mapping.refuseOtherKeys()
        name = try Self.name(ssid)
        self.password = if let password { try Self.password(password) } else { nil }
        self.country = try Self.country(country)
        isHidden = try hidden?.bool() ?? false
    }

    private static func name(_ value: YAMLValue) throws(YAMLError) -> String {
        let text = try value.string()
        guard (1...32).contains(text.utf8.count) else {
            throw value.error("expected the name of the network, 1 to 32 bytes; this has \(text.utf8.count)")
        }
        guard !text.hasControlCharacters else { throw value.error("there is a control character in it") }
        return text
    }

    /// A passphrase of WPA2 or WPA3, or the 256-bit key of one (IEEE 802.11-2020, J.4). The standard allows printable
    /// ASCII; access points and wpa_supplicant also take UTF-8.
    private static func password(_ value: YAMLValue) throws(YAMLError) -> Secret {
        let text = try value.string()
        guard !text.isEmpty else {
            throw value.error("it is empty; leave the key out for a network without a password")
        }
        guard !text.hasControlCharacters else { throw value.error("there is a control character in it") }
        let count = text.utf8.count
        guard (8...63).contains(count) || count == 64 && text.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
            throw value.error("expected 8 to 63 bytes, or 64 hexadecimal digits; this has \(count)")
        }
        return Secret(text)
    }

    private static func country(_ value: YAMLValue) throws(YAMLError) -> String {
        let text = try value.string().uppercased()
        guard text != "UK" else { throw value.error("the United Kingdom is GB in ISO 3166") }
        guard isCountry(text) else {
            throw value.error(
                "expected the two letters of the country where the box stands, as in ISO 3166: CN, US, IN")
        }
        return text
    }

    static func isCountry(_ text: String) -> Bool { countries.contains(Substring(text)) }

    /// ISO 3166-1 alpha-2, as of 2024.
    private static let countries = Set(
        """
        AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA \
        CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA \
        GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP \
        KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS \
        MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS \
        RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW \
        TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW
        """.split(separator: " "))
}

extension String {
    fileprivate var hasControlCharacters: Bool { unicodeScalars.contains { $0.properties.generalCategory == .control } }
}
