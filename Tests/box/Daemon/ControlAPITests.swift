import Foundation
import Logging
import ServiceLifecycle
import SoundboxControl
import SoundboxCore
import SoundboxSystem
import SoundboxTesting
import TestSupport
import Testing

@testable import SoundboxBox

@Suite("docs/control-api.yaml and the control socket say the same", .timeLimit(.minutes(10)))
struct ControlAPITests {
    private let lines: [Substring]

    init() throws {
        let page = #filePath.replacing(/\/Tests\/.*$/, with: "/docs/control-api.yaml")
        lines = try String(contentsOfFile: page, encoding: .utf8)
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
    func same() throws {
        let served = try IdleBox().routes.map { "\($0)" }
        #expect(Set(routes.keys) == Set(served) && routes.count == served.count)
    }

    @Test("What is told of the history's parameters is what it reads", arguments: ["GET /history", "GET /totals"])
    func parameters(route: String) throws {
        let told = try #require(routes[route]).compactMap { $0.firstMatch(of: /- \{name: ([a-z_]+), in: query/)?.1 }
        #expect(told.map(String.init).sorted() == HistoryQuery.Parameter.allCases.map(\.rawValue).sorted())
    }

    @Test("Every status that is answered is written down")
    func statuses() async throws {
        let inbox = TemporaryInbox()
        let notice = PaymentNotice(id: try PaymentID("A-1"), money: try Money("1", .CNY))
        _ = try inbox.store([.notice(notice)], at: .now)
        let box = try IdleBox(inbox: inbox, clock: TestMachine().clock())
        let questions = [
            ("GET", "/status", ""), ("POST", "/replay", ""), ("POST", "/replay", #"{"sequence": 404}"#),
            ("POST", "/replay", #"{"sequence": 1}"#), ("POST", "/replay", "{"), ("GET", "/volume", ""),
            ("PUT", "/volume", #"{"volume": 5}"#), ("PUT", "/volume", "{"), ("GET", "/history", ""),
            ("GET", "/history?limit=0", ""), ("GET", "/totals", ""), ("GET", "/totals?day=x", ""),
            ("GET", "/history?day=today", ""), ("GET", "/events?after=x", ""), ("GET", "/quiet-hours", ""),
            ("PUT", "/quiet-hours", #"{"off": true}"#), ("PUT", "/quiet-hours", "{}"), ("POST", "/trial", ""),
            ("POST", "/sign-in-code", #"{"code": "123456"}"#), ("POST", "/sign-in-code", #"{"code": "123456"}"#),
            ("POST", "/sign-in-code", "{}"), ("GET", "/page", ""), ("PUT", "/page", #"{"problem": null}"#),
            ("PUT", "/page", "{}"), ("GET", "/metrics", ""),
        ]
        for isInService in [true, false] {
            let folder = try TemporaryFolder()
            let log = Journal<String>()
            let served = isInService ? box.routes : box.routes.filter { $0.path == "status" }
            var logger = Logger(label: "test") { _ in TextLog(lines: log) }
            logger.logLevel = .debug
            let server = ControlServer(
                socketPath: folder.file("control.sock"), routes: served, isInService: isInService,
                logger: logger)
            try await withThrowingTaskGroup { group in
                group.addTask { await server.run() }
                _ = try await log.next { $0.contains("control socket open") ? () : nil }
                for (method, path, body) in questions {
                    var request = HTTPFetch(method, "http://box\(path)", limit: .seconds(600), most: 1 << 20)
                    request.unixSocket = folder.file("control.sock")
                    request.headers = ["Connection: close", "Content-Type:", "Expect:"]
                    request.body = method == "GET" ? nil : Array(body.utf8)
                    let code = try await request.answer(onThreadNamed: "client").status
                    let route = "\(method) \(path.prefix { $0 != "?" })"
                    let isTold = routes[route]?.contains { $0.hasPrefix("        \"\(code)\":") } ?? false
                    #expect(isTold, "\(route): \(code)")
                }
                group.cancelAll()
            }
        }
    }
}
