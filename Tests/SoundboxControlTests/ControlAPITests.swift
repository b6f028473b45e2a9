import Foundation
import SoundboxControl
import SoundboxCore
import TestSupport
import Testing

@Suite("docs/control-api.yaml and the control socket say the same", .timeLimit(.minutes(10)))
struct ControlAPITests {
    private let lines: [Substring]

    init() throws {
        let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        lines = try String(contentsOf: project.appending(path: "docs/control-api.yaml"), encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// `GET /status`, and the lines below each of them.
    private var routes: [String: [Substring]] {
        var routes: [String: [Substring]] = [:]
        var (path, route) = ("", "")
        for line in lines.drop(while: { $0 != "paths:" }).prefix(while: { $0 != "components:" }) {
            if let match = line.wholeMatch(of: /\ {2}(\/[a-z-]+):/) {
                path = String(match.1)
            } else if let match = line.wholeMatch(of: /\ {4}(get|put|post|delete):/) {
                route = "\(match.1.uppercased()) \(path)"
                routes[route] = []
            } else {
                routes[route, default: []].append(line)
            }
        }
        routes[""] = nil
        return routes
    }

    @Test("They have the same routes")
    func same() async throws {
        let trial = try ControlTrial()
        try await trial.whileOpen {
            let told = try await trial.ask("GET", "/nothing").error ?? ""
            let served = Set(told.matches(of: /(?:GET|PUT|POST|DELETE) \/[a-z-]+/).map { String($0.0) })
            #expect(served.count > 10)
            #expect(Set(routes.keys) == served)
        }
    }

    @Test("What is told of the history's parameters is what it reads", arguments: ["GET /history", "GET /totals"])
    func parameters(route: String) throws {
        let told = try #require(routes[route]).compactMap { $0.firstMatch(of: /- \{name: ([a-z_]+), in: query/)?.1 }
        #expect(told.map(String.init).sorted() == HistoryQuery.Parameter.allCases.map(\.rawValue).sorted())
    }

    @Test("Every status that is answered is written down")
    func statuses() async throws {
        let trial = try ControlTrial()
        let questions = [
            ("GET", "/status", ""), ("POST", "/replay", ""), ("POST", "/replay", #"{"sequence": 404}"#),
            ("POST", "/replay", #"{"sequence": 409}"#), ("POST", "/replay", "{"), ("GET", "/volume", ""),
            ("PUT", "/volume", #"{"volume": 5}"#), ("PUT", "/volume", "{"), ("GET", "/history", ""),
            ("GET", "/history?limit=0", ""), ("GET", "/totals", ""), ("GET", "/totals?day=x", ""),
            ("GET", "/history?day=today", ""), ("GET", "/events?after=x", ""), ("GET", "/quiet-hours", ""),
            ("PUT", "/quiet-hours", #"{"off": true}"#), ("PUT", "/quiet-hours", "{}"), ("POST", "/trial", ""),
            ("POST", "/sign-in-code", #"{"code": "123456"}"#), ("POST", "/sign-in-code", "{}"), ("GET", "/page", ""),
            ("PUT", "/page", #"{"problem": null}"#), ("PUT", "/page", "{}"),
        ]
        for isInService in [true, false] {
            try await trial.whileOpen(isInService: isInService) {
                for (method, path, body) in questions {
                    let code = try await trial.ask(method, path, body: body).code
                    let route = "\(method) \(path.prefix { $0 != "?" })"
                    let isTold = routes[route]?.contains { $0.hasPrefix("        \"\(code)\":") } ?? false
                    #expect(isTold, "\(route): \(code)")
                }
            }
        }
    }
}
