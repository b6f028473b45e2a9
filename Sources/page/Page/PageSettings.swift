import SoundboxCore
import SoundboxSystem

/// The rights of a signed-in phone.
public enum Role: String, Sendable {
    case look
    case change
}

/// The settings of the page, from the box.
struct PageSettings: Sendable, Equatable {
    var isEnabled: Bool
    var port = 0
    /// `nil` for all private addresses of the machine.
    var address: InternetAddress?
    var certificateFile: String?
    var keyFile: String?
    /// The highest role.
    var role = Role.change
    /// The language of the box's voice.
    var language = ""
    var currency = ""
    /// The box's routes that are passed to phones: `GET /history`.
    var routes: [String] = []
    /// The name of the session cookie, unique to this box: cookies are not separated by port or path (RFC 6265, section
    /// 8.5). It is a hash, because ids may contain any character and must not be visible.
    var cookie = ""

    /// Reads the answer to `GET /page`. `nil` for anything else.
    init?(decoding json: JSONValue) {
        guard let isEnabled = json["enabled"]?.bool else { return nil }
        self.isEnabled = isEnabled
        guard isEnabled else { return }
        guard let port = json["port"]?.integer, (1...65_535).contains(port),
            let role = json["role"]?.string.flatMap(Role.init), let merchant = json["merchant"]?.string,
            let device = json["device"]?.string
        else { return nil }
        let box = JSONValue.array([.string(merchant), .string(device)])
        cookie = "soundbox-\(SHA256.hash(of: box.bytes).prefix(8).hexadecimal)"
        self.port = port
        self.role = role
        address = InternetAddress(
            bytes: (json["listen"]?.elements ?? []).compactMap { $0.integer.flatMap { UInt8(exactly: $0) } })
        certificateFile = json["certificate_file"]?.string
        keyFile = json["key_file"]?.string
        guard (certificateFile == nil) == (keyFile == nil) else { return nil }
        language = json["language"]?.string ?? ""
        currency = json["currency"]?.string ?? ""
        routes = (json["routes"]?.elements ?? []).compactMap(\.string)
    }

    var isEncrypted: Bool { certificateFile != nil }

    /// The URL for a browser in the shop's network.
    func url(of address: InternetAddress) -> String {
        let scheme = isEncrypted ? "https" : "http"
        let place = "\(ListenAddress(address, port: port))"
        let usual = isEncrypted ? ":443" : ":80"
        return "\(scheme)://\(place.hasSuffix(usual) ? String(place.dropLast(usual.count)) : place)/"
    }
}
