import Glibc
import SoundboxCore
import SoundboxYAML

/// The control routes for the process of the shop's page: it reads the settings and the routes for phones here, and
/// reports why the page is not served.
struct ShopPage: Feature {
    private let settings: JSONValue
    private let features: FeatureList
    private let state: BoxState

    init(in box: BoxContext) {
        settings = box.settings.page.json(box.identity, currency: box.settings.announcements.currency)
        (features, state) = (box.features, box.state)
    }

    private var json: JSONValue {
        guard case .object(let members) = settings else { return settings }
        let names = features.all.flatMap(\.routes).filter(\.isForPhones).map { JSONValue.string("\($0)") }
        return .object(members + [("routes", .array(names))])
    }

    var routes: [ControlRoute] {
        [
            ControlRoute(.get, "page") { _ in .json(json) },
            ControlRoute(.put, "page") { request in
                let problem: String?
                switch try request.json?["problem"] {
                case .null?: problem = nil
                // Accept only a short text for people: the page's process faces the network.
                case .string(let text)? where text.utf8.count <= 1000: problem = text.printable
                default: throw ControlRefusal(.invalid, "problem: expected null, or a string of at most 1000 bytes")
                }
                state.update { $0.pageProblem = problem }
                return .json(json)
            },
        ]
    }
}

/// The shop's page: `page:`. Another process serves it, with these settings from the box.
package struct ShopPageSettings: Sendable, Equatable {
    /// What a signed-in person may do.
    package enum Role: String, Sendable, CaseIterable {
        case look
        case change
    }

    /// Where the box answers the page's process, and no other.
    package var socket: String
    /// 1–65535.
    package var port: Int
    /// `nil` for every private address of the machine.
    package var address: InternetAddress?
    /// PEM; without it the page is plain HTTP.
    package var certificateFile: String?
    package var keyFile: String?
    package var role: Role

    package static let installedSocket = "/run/soundbox-page/control.sock"
    /// The folder of the page's process: its unit's StateDirectory.
    package static let installedFolder = "/var/lib/soundbox-page"

    /// The group of the socket; `nil` for the box's own group.
    package var group: String? { socket == Self.installedSocket ? "soundbox-page" : nil }

    /// The sessions of signed-in phones.
    package static func sessionsFile(in folder: String) -> String { "\(folder)/sessions.json" }

    /// `page: {enabled: true, …}`
    /// - Returns: `nil` if it is switched off. Its other keys must be valid all the same.
    init?(reading value: YAMLValue) throws(YAMLError) {
        let mapping = try value.mapping()
        socket = try mapping.read("socket") { try $0.socketPath() } ?? Self.installedSocket
        certificateFile = try mapping.read("certificate_file") { try $0.path() }
        keyFile = try mapping.read("key_file") { try $0.path() }
        port = try mapping.read("port") { try $0.integer(in: 1...65_535) } ?? (certificateFile == nil ? 80 : 443)
        address = try mapping.read("listen") { try Self.address($0) }
        role = try mapping.read("role") { try $0.choice(of: Role.self) } ?? .change
        let isEnabled = try mapping.required("enabled").bool()
        try mapping.refuseOtherKeys()
        if (certificateFile == nil) != (keyFile == nil),
            let lonely = mapping.optional("certificate_file") ?? mapping.optional("key_file")
        {
            throw lonely.error("HTTPS needs certificate_file and key_file, and only one of them is there")
        }
        if !isEnabled { return nil }
    }

    private static func address(_ value: YAMLValue) throws(YAMLError) -> InternetAddress {
        let text = try value.string()
        guard let address = [(AF_INET, 4), (AF_INET6, 16)].lazy.compactMap({ bytes(text, $0.0, $0.1) }).first,
            let address = InternetAddress(bytes: address)
        else {
            throw value.error("expected an address of this machine such as 192.168.1.7" + value.found(text))
        }
        guard !address.isPublic else {
            throw value.error(
                "is an address of the Internet; the page is for the shop's own network, such as 192.168.1.7")
        }
        value.mayBeShown()
        return address
    }

    private static func bytes(_ text: String, _ family: Int32, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }
}

extension ShopPageSettings? {
    /// What the page's process gets from the box.
    func json(_ identity: StatusReporter.Identity, currency: Currency) -> JSONValue {
        guard let page = self else { return .object([("enabled", .bool(false))]) }
        func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
        return .object([
            ("enabled", .bool(true)), ("port", .integer(page.port)),
            ("listen", .array((page.address?.bytes ?? []).map { .integer(Int($0)) })),
            ("certificate_file", text(page.certificateFile)), ("key_file", text(page.keyFile)),
            ("role", .string(page.role.rawValue)), ("merchant", text(identity.merchantID)),
            ("device", .string(identity.deviceID)), ("language", text(identity.language)),
            ("currency", .string(currency.code)),
        ])
    }
}
