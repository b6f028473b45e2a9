import SoundboxCore
import SoundboxSystem

/// What somebody who has signed in may do.
public enum Role: String, Sendable {
    case look
    case change
}

/// How the page is to be served, as the box tells it.
struct PageSettings: Sendable, Equatable {
    var isEnabled: Bool
    var port = 0
    /// `nil` for every private address that the machine has.
    var address: InternetAddress?
    var certificateFile: String?
    var keyFile: String?
    /// The most that anybody may do.
    var role = Role.change
    /// Of the box's voice.
    var language = ""
    var currency = ""
    /// What a phone may use as the box answers it: `GET /history`.
    var routes: [String] = []
    /// The name of the cookie that says who is signed in. It is this box's alone, since ports and folders do not tell
    /// cookies apart (RFC 6265, section 8.5), and of a hash, since ids may have any characters and are not for everybody.
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

    /// For a browser in the shop's network.
    func url(of address: InternetAddress) -> String {
        let scheme = isEncrypted ? "https" : "http"
        let place = "\(ListenAddress(address, port: port))"
        let usual = isEncrypted ? ":443" : ":80"
        return "\(scheme)://\(place.hasSuffix(usual) ? String(place.dropLast(usual.count)) : place)/"
    }
}
