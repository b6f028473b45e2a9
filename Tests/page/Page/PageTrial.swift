import Logging
import ServiceLifecycle
import SoundboxBox
import SoundboxControl
import SoundboxCore
import SoundboxSystem
import Synchronization
import TestSupport
import Testing

@testable import SoundboxPage

/// The page's request handler with a real control socket behind it, on which a box answers of which nothing is there
/// but the answers.
final class PageTrial: Sendable {
    static let host = "192.168.1.7"
    private static let forPhones = [
        "GET /history", "GET /quiet-hours", "PUT /quiet-hours", "PUT /volume", "POST /replay", "POST /trial",
    ]

    private struct Box {
        var codes: [String] = []
        var replayed: [Int64] = []
        var trials = 0
        var volume = 80
        var refusal: ControlRefusal?
        /// Of the history, with 500 entries each; without any it has two of one entry.
        var pages = 0
    }

    let folder: TemporaryFolder
    let sessions: Sessions
    private let box = Mutex(Box())
    let socketPath: String

    init() throws {
        folder = try TemporaryFolder()
        socketPath = folder.file("page.sock")
        sessions = Sessions(file: folder.file("sessions.json"))
        try SmallFile.createFolder(of: folder.file("words/de.json"), mode: 0o755, owner: nil)
        for name in ["page.html", "page.css", "quiet-hours.js", "icon.svg", "words/zh-Hans.json"] {
            try folder.write(name, to: name)
        }
    }

    var codes: [String] { box.withLock { $0.codes } }
    var replayed: [Int64] { box.withLock { $0.replayed } }
    var trials: Int { box.withLock { $0.trials } }
    var volume: Int { box.withLock { $0.volume } }
    /// Of the history, with 500 entries each and 1500 bytes in each id.
    func setPages(_ count: Int) { box.withLock { $0.pages = count } }
    /// What the box refuses a code with.
    func refuse(_ refusal: ControlRefusal?) { box.withLock { $0.refusal = refusal } }

    func handler(role: String = "change", certificate: Bool = false, device: String = "b") throws -> PageRequestHandler
    {
        let settings = try #require(
            PageSettings(
                decoding: .object([
                    ("enabled", .bool(true)), ("port", .integer(80)), ("role", .string(role)),
                    ("merchant", .string("M")), ("device", .string(device)), ("language", .string("zh-CN")),
                    ("currency", .string("CNY")),
                    ("routes", .array(Self.forPhones.map { .string($0) })),
                    ("certificate_file", certificate ? .string("/c") : .null),
                    ("key_file", certificate ? .string("/k") : .null),
                ])))
        return PageRequestHandler(
            settings: settings, files: try PageFiles(folder: folder.path), sessions: sessions,
            signIn: SharedSignIn(),
            // However busy the machine is that tests it.
            box: BoxLink(
                ControlClient(socketPath: socketPath, timeout: .seconds(600)), timeout: .seconds(600),
                timeoutForChanges: .seconds(600)),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// As the page's own script asks.
    func request(
        _ method: String, _ target: String, _ body: String = "{}", cookie: String? = nil,
        _ headers: [String: String] = [:]
    ) -> HTTPRequest {
        var request = HTTPRequest(
            method: method, target: Array(target.utf8), body: method == "GET" ? [] : Array(body.utf8))
        request.headers = [
            "host": Self.host, "origin": "http://\(Self.host)", "content-type": "application/json",
        ]
        request.headers["cookie"] = cookie
        for (name, value) in headers { request.headers[name] = value.isEmpty ? nil : value }
        return request
    }

    /// - Returns: the cookie of a phone that has signed in.
    func signIn(_ handler: PageRequestHandler, as role: String = "change") async throws -> String {
        let asked = await handler.answer(request("POST", "/api/code"))
        guard asked.status == 200, let code = codes.last else { throw TestFailure("no code: \(asked)") }
        let answer = await handler.answer(request("POST", "/api/session", #"{"code": "\#(code)", "role": "\#(role)"}"#))
        guard answer.status == 200, let cookie = answer.headers.first(where: { $0.name == "Set-Cookie" })?.value else {
            throw TestFailure("not signed in: \(answer)")
        }
        return String(cookie.prefix { $0 != ";" })
    }

    /// While the box is there.
    func run(_ body: @Sendable () async throws -> Void) async throws {
        let log = Journal<String>()
        let logger = Logger(label: "test") { _ in OpeningLogHandler(journal: log) }
        let server = ControlServer(
            socketPath: socketPath,
            // As few connections as the box has, for as long as a busy machine needs.
            limits: HTTPServer.Limits(idleSeconds: 600, lifetime: .seconds(600)),
            routes: routes, logger: logger)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: server)],
                logger: Logger(label: "services") { _ in SwiftLogNoOpLogHandler() }))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            _ = try await log.next { $0 == "control socket open" ? $0 : nil }
            try await body()
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    private var routes: [ControlRoute] {
        [
            ControlRoute(.get, "history") { request in
                .json(Self.page(try HistoryQuery(request.query), of: self.box.withLock { $0.pages }))
            },
            ControlRoute(.get, "totals") { _ in throw ControlRefusal(.undated, "no day") },
            ControlRoute(.get, "events") { _ in .json(.object([("version", .integer(1))])) },
            ControlRoute(.get, "volume") { _ in .json(.object([("volume", .integer(self.volume))])) },
            ControlRoute(.put, "volume") { request in
                let volume = try request.json?["volume"]?.integer
                self.box.withLock { $0.volume = volume ?? -1 }
                return .json(.object([("volume", .integer(self.volume))]))
            },
            ControlRoute(.get, "quiet-hours") { _ in .json(.object([("quiet_hours", .null)])) },
            ControlRoute(.put, "quiet-hours") { _ in .json(.object([("quiet_hours", .null)])) },
            ControlRoute(.post, "replay") { request in
                let sequence = try request.json?["sequence"]?.integer
                self.box.withLock { $0.replayed.append(Int64(sequence ?? -1)) }
                return .json(.object([("replay", .bool(true))]))
            },
            ControlRoute(.post, "trial") { _ in
                self.box.withLock { $0.trials += 1 }
                return .json(.object([("trial", .bool(true))]))
            },
            ControlRoute(.put, "page") { _ in
                self.box.withLock { $0.volume = -2 }
                return .json(.null)
            },
            ControlRoute(.post, "sign-in-code") { request in
                let code = try request.json?["code"]?.string ?? ""
                try self.box.withLock { box in
                    if let refusal = box.refusal { throw refusal }
                    box.codes.append(code)
                }
                return .json(.object([("sign_in_code", .bool(true))]))
            },
        ]
    }

    /// Two pages of one entry each, of which the first has an id that a spreadsheet would carry out; or as many as
    /// `count`.
    private static func page(_ query: HistoryQuery, of count: Int) -> JSONValue {
        func entry(_ sequence: Int, _ id: String) -> JSONValue {
            .object([
                ("sequence", .integer(sequence)), ("id", .string(id)), ("kind", .string("payment")),
                ("amount", .string("1.50")), ("currency", .string("CNY")), ("channel", .null),
                ("time_known", .bool(true)),
            ])
        }
        if count > 0 {
            let last = query.before.map { Int($0) - 1 } ?? count * 500
            let entries = (0..<500).map { offset in
                let text = "\(last - offset)"
                return entry(last - offset, String(repeating: "x", count: 1500 - text.count) + text)
            }
            return .object([
                ("from", .null), ("to", .null), ("entries", .array(entries)),
                ("next", last > 500 ? .integer(last - 499) : .null), ("examined", .integer(500)),
            ])
        }
        let isFirst = query.before == nil
        return .object([
            ("from", .null), ("to", .null),
            ("entries", .array([isFirst ? entry(2, "=HYPERLINK(\"x\")") : entry(1, "<b>,\"")])),
            ("next", isFirst ? .integer(2) : .null), ("examined", .integer(1)),
        ])
    }
}

private struct OpeningLogHandler: LogHandler {
    let journal: Journal<String>
    var logLevel = Logger.Level.debug
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { journal.append(event.message.description) }
}
