import SoundboxCore

/// Tells the page's process how to serve the shop's page and what phones may use there, and takes from it why that is
/// not served.
struct ShopPage {
    let settings: JSONValue
    /// What the box answers besides.
    let others: [ControlRoute]
    let state: BoxState

    private var json: JSONValue {
        guard case .object(let members) = settings else { return settings }
        let names = others.filter(\.isForPhones).map { JSONValue.string("\($0)") }
        return .object(members + [("routes", .array(names))])
    }

    var routes: [ControlRoute] {
        [
            ControlRoute(.get, "page") { _ in .json(json) },
            ControlRoute(.put, "page") { request in
                let problem: String?
                switch try request.json?["problem"] {
                case .null?: problem = nil
                // The page's process is believed nothing else: the text is for people, and short.
                case .string(let text)? where text.utf8.count <= 1000: problem = text.printable
                default: throw ControlRefusal(.invalid, "problem: expected null, or a string of at most 1000 bytes")
                }
                state.update { $0.pageProblem = problem }
                return .json(json)
            },
        ]
    }
}
