import Logging
import SoundboxControl
import SoundboxCore
import SoundboxSystem
import Synchronization

/// Answers browsers: files for everybody, the box's answers for signed-in phones.
struct PageRequestHandler: Sendable {
    private static let year = 365 * 24 * 3600

    let settings: PageSettings
    let files: PageFiles
    let sessions: Sessions
    let logger: Logger
    private let box: BoxLink
    private let signIn: SharedSignIn

    init(
        settings: PageSettings, files: PageFiles, sessions: Sessions, signIn: SharedSignIn, box: BoxLink, logger: Logger
    ) {
        self.settings = settings
        self.files = files
        self.sessions = sessions
        self.signIn = signIn
        self.logger = logger
        self.box = box
    }

    func answer(_ request: HTTPRequest) async -> HTTPResponse {
        var request = request
        // The same head; libmicrohttpd omits the body.
        if request.method == "HEAD" { request.method = "GET" }
        var response = await unguarded(request)
        response.headers += Self.headers
        return response
    }

    /// Only content of this server is loaded and run, nothing is cached, and the page cannot be framed.
    private static let headers = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
                + "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
        ), ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"), ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cache-Control", "no-store"),
    ]

    private func unguarded(_ request: HTTPRequest) async -> HTTPResponse {
        // With TLS the browser has checked the name.
        let isForScript = request.path.hasPrefix("/api/")
        guard settings.isEncrypted || RequestOrigin.isLocalName(request.headers["host"] ?? "") else {
            return isForScript
                ? Self.refusal(421, "name", "this page is reached by its address or by a name of this network")
                : RefusalPage.otherName(language: settings.language)
        }
        if request.method == "GET", let file = files[request.path] { return file }
        guard isForScript else { return RefusalPage.unknown() }
        if request.method != "GET" {
            guard RequestOrigin.isPage(request, isEncrypted: settings.isEncrypted) else {
                return Self.refusal(403, "origin", "another site has asked for this")
            }
            guard request.headers["content-type"] == "application/json" else {
                return Self.refusal(415, "invalid", "expected Content-Type: application/json")
            }
        }
        switch "\(request.method) \(request.path)" {
        case "GET /api/session": return session(role(of: request))
        case "POST /api/code": return await sayCode()
        case "POST /api/session": return open(request)
        case "DELETE /api/session": return close(request)
        default: break
        }
        guard let role = role(of: request) else {
            return Self.refusal(401, "sign_in", "sign in with a code that the box says")
        }
        if request.method != "GET", role != .change {
            return Self.refusal(403, "role", "this phone may look, and change nothing")
        }
        do throws(ControlError) { return try await signedIn(request) } catch {
            return Self.refusal(503, "box", error.reason)
        }
    }

    // MARK: Signing in

    private func role(of request: HTTPRequest) -> Role? {
        guard let role = tokens(of: request).lazy.compactMap({ sessions.role(of: $0) }).first else { return nil }
        // The owner may have restricted the role since.
        return settings.role == .look ? .look : role
    }

    /// Another server at the same address may have set a cookie of this name, so a few are tried.
    private func tokens(of request: HTTPRequest) -> [String] {
        let pairs = (request.headers["cookie"] ?? "").split(separator: ";").map { $0.drop { $0 == " " } }
        let prefix = "\(settings.cookie)="
        return pairs.filter { $0.hasPrefix(prefix) }.prefix(4).map { String($0.dropFirst(prefix.count)) }
    }

    private func session(_ role: Role?) -> HTTPResponse {
        var members: [(name: String, value: JSONValue)] = [("signed_in", .bool(role != nil))]
        if let role { members.append(("role", .string(role.rawValue))) }
        members += [("https", .bool(settings.isEncrypted)), ("language", .string(settings.language))]
        if role != nil { members.append(("currency", .string(settings.currency))) }
        return Self.response(.object(members))
    }

    private func sayCode() async -> HTTPResponse {
        let code = SignInCode()
        // Before the request to the box, so that only one of two phones gets a code.
        let wait = signIn.state.withLock { state in
            let wait = state.wait(at: .monotonicNow)
            if wait == .zero { state.ask(code, at: .monotonicNow) }
            return wait
        }
        guard wait == .zero else { return Self.wait(wait) }
        do throws(ControlError) {
            let answer = try await box.exchange(
                "POST", "sign-in-code", body: .object([("code", .string(code.text))]))
            guard answer.status == 200 else {
                signIn.state.withLock { $0.isRefused(code) }
                let cause = answer.json["cause"]?.string ?? "box"
                if cause == "busy" { return Self.wait(SignIn.rest) }
                return Self.refusal(answer.status, cause, answer.json["error"]?.string ?? "the box refused")
            }
            logger.notice("a code was said, for a phone that wants to sign in")
            return Self.response(.object([("expires_in", .integer(Int(SignIn.lifetime.components.seconds)))]))
        } catch {
            // The code stays valid: the box may have received it and say it later.
            return Self.refusal(503, "box", error.reason)
        }
    }

    private func open(_ request: HTTPRequest) -> HTTPResponse {
        guard let json = try? JSONValue(parsing: request.body), let code = json["code"]?.string,
            let role = json["role"]?.string.flatMap(Role.init)
        else {
            return Self.refusal(400, "invalid", "expected {\"code\": \"123456\", \"role\": \"look\" or \"change\"}")
        }
        switch signIn.state.withLock({ $0.guess(code, at: .monotonicNow) }) {
        case .expired: return Self.refusal(403, "expired", "no code is in force; ask for one")
        case .wrong(let left):
            logger.warning("a wrong code was typed", metadata: ["guesses_left": "\(left)"])
            return Self.response(
                .object([
                    ("error", .string("wrong")), ("reason", .string("that is not the code")), ("left", .integer(left)),
                ]), status: 403)
        case .right: break
        }
        let allowed = settings.role == .look ? .look : role
        let token: String
        do throws(FileError) { token = try sessions.open(as: allowed) } catch {
            logger.error("nobody can sign in", metadata: ["reason": "\(error)"])
            return Self.refusal(503, "fault", "\(error)")
        }
        logger.notice("a phone has signed in", metadata: ["role": "\(allowed.rawValue)"])
        var response = session(allowed)
        response.headers.append(("Set-Cookie", cookie(token, age: Self.year)))
        return response
    }

    private func close(_ request: HTTPRequest) -> HTTPResponse {
        for token in tokens(of: request) where sessions.role(of: token) != nil {
            do throws(FileError) { try sessions.close(token) } catch {
                return Self.refusal(503, "fault", "\(error)")
            }
            logger.notice("a phone has signed out")
        }
        var response = session(nil)
        response.headers.append(("Set-Cookie", cookie("", age: 0)))
        return response
    }

    private func cookie(_ token: String, age: Int) -> String {
        "\(settings.cookie)=\(token); Path=/; Max-Age=\(age); HttpOnly; SameSite=Strict"
            + (settings.isEncrypted ? "; Secure" : "")
    }

    // MARK: What the box answers

    private func signedIn(_ request: HTTPRequest) async throws(ControlError) -> HTTPResponse {
        let route = "\(request.method) \(request.path.dropFirst("/api".count))"
        switch route {
        case "GET /events":
            let version = request.query.first { $0.name == "after" }.flatMap { Int($0.value) } ?? 0
            return Self.passed(try await box.events(after: max(0, version)))
        case "GET /totals": return try await totals(request)
        case "GET /export.csv": return try await export(request)
        case _ where !settings.routes.contains(route): return Self.unknown
        default: break
        }
        let name = String(request.path.dropFirst("/api/".count))
        if request.method == "GET" { return Self.passed(try await box.exchange("GET", name, request.query)) }
        // Without a number, the control socket would replay the last payment, which the user has not chosen.
        guard let json = try? JSONValue(parsing: request.body), name != "replay" || json["sequence"] != nil else {
            return Self.refusal(400, "invalid", name == "replay" ? "sequence: expected a number" : "expected JSON")
        }
        let answer = try await box.exchange(request.method, name, body: json)
        if answer.status == 200 { logger.notice("changed by a phone", metadata: ["what": "\(name)"]) }
        return Self.passed(answer)
    }

    private func totals(_ request: HTTPRequest) async throws(ControlError) -> HTTPResponse {
        var reader = HistoryReader("totals", request.query, box)
        var totals = Totals()
        var (from, to): (JSONValue, JSONValue) = (.null, .null)
        while let answer = try await reader.next() {
            guard answer.status == 200 else { return Self.passed(answer) }
            guard let part = answer.json["part"].flatMap(Totals.init(decoding:)) else {
                throw HistoryReader.foreignAnswer
            }
            totals.add(earlier: part)
            (from, to) = (answer.json["from"] ?? .null, answer.json["to"] ?? .null)
        }
        return Self.response(.object([("from", from), ("to", to)] + totals.members))
    }

    /// Requests the first piece before it answers, so that a refusal has its own status.
    private func export(_ request: HTTPRequest) async throws(ControlError) -> HTTPResponse {
        var reader = HistoryReader("history", request.query, box)
        var response = HTTPResponse(status: 200, contentType: "text/csv; charset=utf-8", body: [])
        if let answer = try await reader.next() {
            guard answer.status == 200 else { return Self.passed(answer) }
            // The byte order mark tells spreadsheets that it is UTF-8.
            response.body = Array(("\u{FEFF}" + CSV.record(HistoryEntry.columns)).utf8)
            response.body += try HistoryExport.records(answer)
        }
        let export = HistoryExport(reader)
        response.rest = { try await export.next() }
        response.headers.append(("Content-Disposition", "attachment; filename=\"payments.csv\""))
        return response
    }

    // MARK: Answers

    private static var unknown: HTTPResponse { refusal(404, "unknown", "there is no such thing here") }

    private static func passed(_ answer: (status: Int, json: JSONValue)) -> HTTPResponse {
        guard answer.status != 200 else { return response(answer.json) }
        let word = answer.json["cause"]?.string ?? (answer.status == 503 ? "box" : "invalid")
        return refusal(answer.status, word, answer.json["error"]?.string ?? "the box refused")
    }

    private static func wait(_ duration: Duration) -> HTTPResponse {
        let seconds = Int((duration + .milliseconds(999)).components.seconds)
        return response(
            .object([
                ("error", .string("wait")), ("reason", .string("a code was asked for a moment ago")),
                ("retry_in", .integer(max(1, seconds))),
            ]), status: 429)
    }

    static func refusal(_ status: Int, _ error: String, _ reason: String) -> HTTPResponse {
        response(.object([("error", .string(error)), ("reason", .string(reason))]), status: status)
    }

    private static func response(_ json: JSONValue, status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, contentType: "application/json", body: json.bytes)
    }
}

/// The text that a browser shows instead of the page after a refusal, without script and styles.
enum RefusalPage {
    /// - Parameter language: the language of the box's voice. English is added.
    static func otherName(language: String) -> HTTPResponse {
        let english =
            "This page cannot be opened by this name. Type the box’s address, such as http://192.168.1.7, or its name "
            + "with .local behind it."
        let key =
            language.hasPrefix("zh") ? (language.hasSuffix("CN") ? "zh-Hans" : "zh-Hant") : String(language.prefix(2))
        return response(421, [otherName[key].map { (key, $0) }, ("en", english)].compactMap(\.self))
    }

    static func unknown() -> HTTPResponse {
        response(404, [("en", "There is no such page here.")], more: "<p><a href=\"/\">Sound box</a></p>\n")
    }

    private static func response(
        _ status: Int, _ sentences: [(language: String, text: String)], more: String = ""
    ) -> HTTPResponse {
        let words = sentences.map { "<p lang=\"\($0.language)\">\($0.text)</p>\n" }.joined()
        let text = """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Sound box</title>
            <h1>Sound box</h1>

            """
        return HTTPResponse(
            status: status, contentType: "text/html; charset=utf-8", body: Array((text + words + more).utf8))
    }

    /// In the page's languages.
    private static let otherName = [
        "de": "Unter diesem Namen lässt sich die Seite nicht öffnen. Bitte die Adresse der Box eingeben, etwa "
            + "http://192.168.1.7, oder ihren Namen mit .local dahinter.",
        "hi": "यह पेज इस नाम से नहीं खुलता। बॉक्स का पता लिखें, जैसे http://192.168.1.7, या उसका नाम और पीछे .local।",
        "id": "Halaman ini tidak bisa dibuka dengan nama ini. Ketik alamat kotak, misalnya http://192.168.1.7, atau "
            + "namanya dengan .local di belakangnya.",
        "ko": "이 이름으로는 이 페이지를 열 수 없습니다. http://192.168.1.7 같은 박스의 주소나 뒤에 .local을 붙인 이름을 입력하세요.",
        "ms": "Halaman ini tidak boleh dibuka dengan nama ini. Taip alamat kotak, contohnya http://192.168.1.7, atau "
            + "namanya dengan .local di belakangnya.",
        "th": "เปิดหน้านี้ด้วยชื่อนี้ไม่ได้ พิมพ์ที่อยู่ของกล่อง เช่น http://192.168.1.7 หรือชื่อของกล่องที่ลงท้ายด้วย .local",
        "vi":
            "Không mở được trang này bằng tên này. Hãy nhập địa chỉ của hộp, ví dụ http://192.168.1.7, hoặc tên của hộp "
            + "có .local ở sau.",
        "zh-Hans": "用这个名称打不开本页。请输入音箱的地址，例如 http://192.168.1.7，或以 .local 结尾的音箱名称。",
        "zh-Hant": "用這個名稱打不開本頁。請輸入音箱的位址，例如 http://192.168.1.7，或以 .local 結尾的音箱名稱。",
    ]
}
