/// What the gateway is asked. The raw value is method and path, as in `docs/gateway-api.yaml`; a part in braces stands
/// for any text.
package enum GatewayRoute: String, CaseIterable, Sendable {
    case health = "GET /healthz"
    case webhook = "POST /hooks/{name}"
    case post = "POST /payments/{merchant}/{device}"
    case list = "GET /payments"
    case payment = "GET /payments/{merchant}/{device}/{id}"
    case cancel = "POST /boxes/{merchant}/{device}/cancel"
    case volume = "POST /boxes/{merchant}/{device}/volume"
    case say = "POST /boxes/{merchant}/{device}/say"
    case ring = "POST /boxes/{merchant}/{device}/ring"
    case replay = "POST /boxes/{merchant}/{device}/replay"
    case box = "GET /boxes/{merchant}/{device}"

    /// What the token must be allowed; `nil` where there is none.
    var right: AccessTokens.Access.Right? {
        switch self {
        case .health, .webhook: nil
        case .post: .payments
        case .cancel, .volume, .say, .ring, .replay: .commands
        case .list, .payment, .box: .read
        }
    }

    enum Match: Equatable {
        case route(GatewayRoute)
        /// The path is there, with other methods.
        case methods([String])
        case none
    }

    private static let patterns = allCases.map { route in
        let words = route.rawValue.split(separator: " ")
        return (route: route, method: String(words[0]), parts: parts(of: words[1]))
    }

    private static func parts(of path: Substring) -> [Substring] {
        path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    }

    /// - Parameter path: its parts, decoded.
    static func match(_ method: String, _ path: [String]) -> Match {
        let found = patterns.filter { pattern in
            pattern.parts.count == path.count && zip(pattern.parts, path).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }
        if let route = found.first(where: { $0.method == method })?.route { return .route(route) }
        return found.isEmpty ? .none : .methods(found.map(\.method))
    }
}
