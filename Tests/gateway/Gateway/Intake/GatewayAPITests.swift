import SoundboxControl
import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxGateway

@Suite("docs/gateway-api.yaml and the gateway say the same")
struct GatewayAPITests {
    private static let token = "0123456789abcdef0123456789abcdef"
    /// `GET /healthz`, and the lines below each of them.
    private let routes: [String: [Substring]]

    init() throws {
        let page = #filePath.replacing(/\/Tests\/.*$/, with: "/docs/gateway-api.yaml")
        var routes: [String: [Substring]] = [:]
        var (path, route) = ("", "")
        let lines = try SmallFile.read(page).split(separator: "\n", omittingEmptySubsequences: false)
        for line in lines.drop(while: { $0 != "paths:" }).prefix(while: { $0 != "components:" }) {
            if let match = line.wholeMatch(of: /\ {2}(\/[a-z\/{}-]+):/) {
                (path, route) = (String(match.1), "")
            } else if let match = line.wholeMatch(of: /\ {4}(get|put|post|delete):/) {
                route = "\(match.1.uppercased()) \(path)"
                routes[route] = []
            } else {
                routes[route]?.append(line)
            }
        }
        self.routes = routes
    }

    @Test("They have the same routes")
    func same() {
        #expect(routes.keys.sorted() == GatewayRoute.allCases.map(\.rawValue).sorted())
    }

    @Test("What is told of the list's parameters is what it reads")
    func parameters() throws {
        let told = try #require(routes["GET /payments"]).compactMap {
            $0.firstMatch(of: /- \{name: ([a-z]+), in: query/)?.1
        }
        #expect(told.map(String.init).sorted() == PaymentQuery.parameters.sorted())
    }

    @Test("Every status that is answered is written down")
    func statuses() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try SQLitePaymentStore.temporary(folder)
        var online = KnownBox()
        (online.seen, online.onlineSince) = (store.clock.now.running, store.clock.now.running)
        let outcomes: [String: PendingCommands.Outcome] = [
            "ring": .noAnswer(id: "c"), "say": .unsent(reason: "x"), "cancel": .waits(id: "c"),
            "volume": .reply(.object([("result", .string("refused"))])),
            "replay": .reply(.object([("result", .string("ok"))])),
        ]
        var asked: Set<String> = []
        for isConnected in [true, false] {
            let handler = try GatewayRequestHandler(
                [:], store, tokens: "all \(Self.token) rights=payments,read,commands\nnone \(Self.token)1 merchant=M",
                known: [trialBox: online], isConnected: isConnected
            ) { type, _, _, _ in outcomes[type] ?? .unsent(reason: "x") }
            let payment = #"{"id":"A","amount":"1"}"#
            for token in ["", "1", "2"] {
                for (route, path, body) in [
                    ("GET /healthz", "/healthz", ""), ("GET /healthz", "/healthz?of=x", ""),
                    ("POST /hooks/{name}", "/hooks/x", "{}"), ("GET /payments", "/payments", ""),
                    ("GET /payments", "/payments?limit=0", ""), ("GET /payments", "/payments?merchant=M1001", ""),
                    ("POST /payments/{merchant}/{device}", "/payments/M1001/box-01", payment),
                    ("POST /payments/{merchant}/{device}", "/payments/M1001/box-01", #"{"id":"A","amount":"2"}"#),
                    ("POST /payments/{merchant}/{device}", "/payments/M1001/box-01", "{"),
                    ("POST /payments/{merchant}/{device}", "/payments/%2B/box-01", payment),
                    ("POST /payments/{merchant}/{device}", "/payments/%FF/box-01", payment),
                    ("GET /payments/{merchant}/{device}/{id}", "/payments/M1001/box-01/A", ""),
                    ("GET /payments/{merchant}/{device}/{id}", "/payments/M1001/box-01/B", ""),
                    ("GET /payments/{merchant}/{device}/{id}", "/payments/M1001/%2B/B", ""),
                    ("GET /boxes/{merchant}/{device}", "/boxes/M1001/box-01", ""),
                    ("GET /boxes/{merchant}/{device}", "/boxes/M1001/box-02", ""),
                    ("GET /boxes/{merchant}/{device}", "/boxes/M1001/%2B", ""),
                ]
                    + outcomes.keys.flatMap({ type in
                        ["box-01", "box-02", "%2B"].flatMap { device in
                            ["{}", "["].map { body in
                                ("POST /boxes/{merchant}/{device}/\(type)", "/boxes/M1001/\(device)/\(type)", body)
                            }
                        }
                    })
                {
                    let method = String(route.prefix { $0 != " " })
                    var request = HTTPRequest(method: method, target: Array(path.utf8), body: Array(body.utf8))
                    request.headers["authorization"] = "Bearer \(Self.token)\(token)"
                    let status = await handler.answer(request).status
                    asked.insert(route)
                    let isTold = routes[route]?.contains { $0.hasPrefix("        \"\(status)\":") } ?? false
                    #expect(isTold, "\(method) \(path): \(status)")
                }
            }
        }
        #expect(asked == Set(GatewayRoute.allCases.map(\.rawValue)))
    }
}
