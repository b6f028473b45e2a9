import SoundboxCore

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
