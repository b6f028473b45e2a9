import Foundation
import Glibc
import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

@Suite("The shop's page, by another process", .timeLimit(.minutes(10)))
struct PageTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A box with a page, and what a phone would ask it with.
    private struct Shop {
        let trial: Trial
        let port: Int
        var cookie: String?

        private var host: String { "http://127.0.0.1:\(port)" }

        /// - Returns: status and body.
        func ask(_ method: String, _ path: String, _ body: String? = nil) async throws -> (code: Int, text: String) {
            var arguments = [
                "curl", "--silent", "--max-time", "20", "--request", method, "--write-out", "\n%{http_code}",
            ]
            if let cookie { arguments += ["--cookie", cookie] }
            if method != "GET" {
                arguments += ["--header", "Origin: \(host)", "--json", body ?? "{}"]
            }
            let lines = try await ChildProcess(arguments + [host + path]).output.all()
            return (Int(lines.last ?? "") ?? 0, lines.dropLast().joined(separator: "\n"))
        }

        func json(_ method: String, _ path: String, _ body: String? = nil) async throws -> JSONValue {
            let answer = try await ask(method, path, body)
            guard answer.code == 200 else { throw TestFailure("\(method) \(path): \(answer)") }
            return try JSONValue(parsing: Array(answer.text.utf8))
        }

        /// By the code that the page gives to the box, as strace has it: the box says it, and no log has it.
        /// - Returns: the code.
        @discardableResult
        mutating func signIn(overhearing page: ChildProcess, as role: String = "change") async throws -> String {
            _ = try await json("POST", "/api/code")
            let code = try await page.errors.next { line in
                line.firstMatch(of: /code\\":\\"([0-9]{6})/).map { String($0.1) }
            }
            let jar = trial.folder.file("jar")
            let body = #"{"code": "\#(code)", "role": "\#(role)"}"#
            let process = try ChildProcess([
                "curl", "--silent", "--fail", "--cookie-jar", jar, "--header", "Origin: \(host)", "--json", body,
                "\(host)/api/session",
            ])
            _ = try await process.output.all()
            let text = try SmallFile.read(jar)
            guard let token = text.firstMatch(of: /(soundbox-[0-9a-f]{16})\t([0-9a-f]{64})/) else {
                throw TestFailure("no cookie: \(text)")
            }
            cookie = "\(token.1)=\(token.2)"
            return code
        }
    }

    /// - Parameter more: of the keys of `page`.
    private func shop(
        _ broker: MosquittoBroker, device: String? = nil, announce: [String] = [], more: String = ""
    ) throws -> Shop {
        let port = try LoopbackSocket.freePort()
        let socket = folder.file("page.sock")
        let trial = try Trial(
            folder: folder, broker: broker, device: device, announce: announce,
            settings: ["page: {enabled: true, listen: 127.0.0.1, port: \(port), socket: \"\(socket)\"\(more)}"])
        return Shop(trial: trial, port: port)
    }

    private func launchPage(_ shop: Shop) async throws -> ChildProcess {
        // What it sends is on its standard error, among its log.
        let page = try ChildProcess([
            "strace", "-D", "-f", "-qq", "-s", "500", "-e", "trace=write,writev,sendto,sendmsg", "-e", "signal=none",
            Products.soundbox, "page", "--config", shop.trial.configurationFile, "--state", folder.path, "--files",
            Products.page,
        ])
        _ = try await page.output.next { $0.firstMatch(of: /^the page is at https?:\/\/127.0.0.1:/) == nil ? nil : $0 }
        return page
    }

    @Test("A phone that has typed what the box says sees payments, has one repeated, and changes what it may")
    func whole() async throws {
        try await withMosquitto(in: folder) { broker in
            var shop = try shop(broker)
            let box = try await shop.trial.startBox()
            let page = try await launchPage(shop)
            let index = try await shop.ask("GET", "/")
            #expect(index.code == 200 && index.text.contains("<script"))
            #expect(try await shop.ask("GET", "/api/history").code == 401)
            let said = try await shop.signIn(overhearing: page)
            // Who reads the log does not stand in the shop.
            try await box.logged("announcing", "sign_in=code")
            let words = said.compactMap(\.wholeNumberValue).map { Array("零一二三四五六七八九")[$0] }
            #expect(
                !box.errors.entries.contains { $0.contains(said) || $0.contains(String(words)) || $0.contains("验证码") })

            _ = try await shop.trial.publishAndWait([notice("P-1", "12.50"), notice("P-2", "0.01")])
            let events = try await shop.json("GET", "/api/events?after=0")
            #expect(events["last_sequence"]?.integer == 2)
            #expect(events["status"]?["state"]?.string == "online")
            let payments = try await shop.json("GET", "/api/history?day=today")
            let entries = try #require(payments["entries"]?.elements)
            #expect(entries.map { $0["amount"]?.string } == ["0.01", "12.5"])
            #expect(entries.allSatisfy { $0["state"]?.string == "announced" })
            let totals = try await shop.json("GET", "/api/totals?day=today")
            #expect(totals["currencies"]?.elements?.first?["gross"]?.string == "12.51")
            let export = try await shop.ask("GET", "/api/export.csv?day=today")
            #expect(export.code == 200 && export.text.contains("P-1,payment,12.5,CNY"))

            let sequence = try #require(entries.last?["sequence"]?.integer)
            _ = try await shop.json("POST", "/api/replay", #"{"sequence": \#(sequence)}"#)
            let line = try await box.errors.next { $0.contains("replay_of=P-1") ? $0 : nil }
            #expect(line.contains("十二点五元"))
            let volume = try await shop.json("PUT", "/api/volume", #"{"volume": 40}"#)
            #expect(volume["volume"]?.integer == 40)
            #expect(try await shop.ask("POST", "/api/replay", #"{"sequence": 99}"#).code == 404)

            let quiet = #"{"from": "00:00", "to": "23:59", "volume": 7}"#
            let set = try await shop.json("PUT", "/api/quiet-hours", quiet)
            #expect(set["origin"]?.string == "shop")
            let quietly = try await shop.json("GET", "/api/events?after=0")
            #expect(quietly["status"]?["quiet_volume"]?.integer == 7)
            // In quiet hours nobody is woken by a code.
            let code = try await shop.ask("POST", "/api/code").code
            #expect(code == 409 || code == 429)
            #expect(try await box.stop() == 0)
            let again = try await shop.trial.startBox()
            let kept = try await shop.json("GET", "/api/quiet-hours")
            #expect(kept["quiet_hours"]?["volume"]?.integer == 7)
            let later = try await shop.json("GET", "/api/history?day=today")
            #expect(later["entries"]?.elements?.count == 2)
            #expect(try await again.stop() == 0)
            let away = try await shop.ask("GET", "/api/history?day=today")
            #expect(away.code == 503 && away.text.contains(#""error":"box""#))
            #expect(try await page.stop() == 0)
        }
    }

    /// A key, and the certificate that it has signed for `localhost`.
    private func makeCertificate(_ name: String) async throws {
        try await ChildProcess.run(
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=DNS:localhost", "-keyout", folder.file("\(name).key"), "-out",
            folder.file("\(name).crt"))
    }

    /// - Returns: the whole answer with its head; empty when there is none.
    private func browse(_ url: String, trusting certificate: String, _ more: String...) async throws -> String {
        let arguments = ["curl", "--silent", "--include", "--max-time", "20", "--cacert", folder.file(certificate)]
        return try await ChildProcess(arguments + more + [url]).output.all().joined(separator: "\n")
    }

    @Test(
        "With a certificate the page speaks HTTPS and nothing else, and a certificate that was renewed is served soon")
    func encrypted() async throws {
        try await makeCertificate("page")
        try await makeCertificate("next")
        try await withMosquitto(in: folder) { broker in
            let files = "certificate_file: \"\(folder.file("page.crt"))\", key_file: \"\(folder.file("page.key"))\""
            let shop = try shop(broker, more: ", \(files)")
            let box = try await shop.trial.startBox()
            let page = try await launchPage(shop)
            let url = "https://localhost:\(shop.port)"
            #expect(try await browse("\(url)/", trusting: "page.crt").hasPrefix("HTTP/1.1 200"))
            #expect(try await browse("\(url)/", trusting: "next.crt") == "")
            #expect(try await browse("http://localhost:\(shop.port)/", trusting: "page.crt") == "")
            for (version, isTaken) in [("-tls1_1", false), ("-tls1_2", true), ("-tls1_3", true)] {
                let handshake = try ChildProcess([
                    "openssl", "s_client", "-brief", version, "-cipher", "ALL:@SECLEVEL=0", "-connect",
                    "127.0.0.1:\(shop.port)",
                ])
                let said = try await handshake.errors.all().joined(separator: "\n")
                #expect(said.contains("CONNECTION ESTABLISHED") == isTaken, "\(version): \(said)")
            }
            let session = try await browse("\(url)/api/session", trusting: "page.crt")
            #expect(session.contains(#""https":true"#))
            // Signing out sets the cookie anew, and needs nobody to be in.
            let out = try await browse(
                "\(url)/api/session", trusting: "page.crt", "--request", "DELETE", "--header",
                "Origin: \(url)", "--header", "Content-Type: application/json")
            #expect(out.contains("Set-Cookie: soundbox-") && out.contains("; Secure"))

            for ending in ["crt", "key"] {
                try await ChildProcess.run("mv", folder.file("next.\(ending)"), folder.file("page.\(ending)"))
            }
            _ = try await page.output.next { $0.hasPrefix("the page is at https://127.0.0.1:") ? $0 : nil }
            #expect(try await browse("\(url)/", trusting: "page.crt").hasPrefix("HTTP/1.1 200"))
            #expect(try await box.stop() == 0)
            #expect(try await page.stop() == 0)
        }
    }

    enum BadIdentity: String, CaseIterable {
        case noCertificate, noKey, otherKey
    }

    @Test(
        "A certificate that cannot be used is told by box and page, which go on; it is served as soon as it can be",
        arguments: BadIdentity.allCases)
    func badIdentity(kind: BadIdentity) async throws {
        try await makeCertificate("page")
        try await makeCertificate("other")
        let (certificate, key) = (folder.file("page.crt"), folder.file("page.key"))
        try await ChildProcess.run("cp", key, folder.file("good.key"))
        try await ChildProcess.run("cp", certificate, folder.file("good.crt"))
        switch kind {
        case .noCertificate: try folder.write("no certificate\n", to: "page.crt")
        case .noKey: try FileManager.default.removeItem(atPath: key)
        case .otherKey: try await ChildProcess.run("cp", folder.file("other.key"), key)
        }
        try await withMosquitto(in: folder) { broker in
            let files = "certificate_file: \"\(certificate)\", key_file: \"\(key)\""
            let shop = try shop(broker, more: ", \(files)")
            let box = try await shop.trial.startBox()
            func warnings() async throws -> [String] {
                let status = try await soundbox("status", "--json", "--config", shop.trial.configurationFile)
                let json = try JSONValue(parsing: Array(status.output.joined().utf8))
                return json["warnings"]?.elements?.compactMap(\.string) ?? []
            }
            let page = try ChildProcess([
                Products.soundbox, "page", "--config", shop.trial.configurationFile, "--state", folder.path, "--files",
                Products.page,
            ])
            let named = kind == .noKey ? key : certificate
            let line = try await page.errors.next { $0.contains(named) ? $0 : nil }
            #expect(line.contains("the page is not served"))
            while try await !warnings().contains(where: {
                $0.hasPrefix("the shop's page is not served: ") && $0.contains(named)
            }) {}
            _ = try await shop.trial.publishAndWait([notice("P-1", "5")])
            try await ChildProcess.run("cp", folder.file("good.crt"), certificate)
            try await ChildProcess.run("cp", folder.file("good.key"), key)
            _ = try await page.output.next { $0.hasPrefix("the page is at https://127.0.0.1:") ? $0 : nil }
            while try await warnings().contains(where: { $0.contains("page") }) {}
            #expect(try await box.stop() == 0)
            #expect(try await page.stop() == 0)
        }
    }

    @Test("A question for events is answered when a payment comes, and not before")
    func events() async throws {
        try await withMosquitto(in: folder) { broker in
            var shop = try shop(broker)
            let box = try await shop.trial.startBox()
            let page = try await launchPage(shop)
            try await shop.signIn(overhearing: page, as: "look")
            var version = 0
            var answer = try await shop.json("GET", "/api/events?after=0")
            // The code is still being said when the first answer comes.
            while let next = answer["version"]?.integer, next != version {
                version = next
                answer = try await shop.json("GET", "/api/events?after=\(version)")
            }
            #expect(answer["last_sequence"] == .null)
            let (asking, seen) = (shop, version)
            async let pending = asking.json("GET", "/api/events?after=\(seen)")
            _ = try await shop.trial.publishAndWait([notice("P-1", "5")])
            let told = try await pending
            #expect(told["last_sequence"]?.integer == 1)
            #expect(try await shop.ask("POST", "/api/trial").code == 403)
            #expect(try await box.stop() == 0)
            #expect(try await page.stop() == 0)
        }
    }

    @Test("While many payments wait no code is promised, since it would come too late to be typed")
    func busy() async throws {
        try await withMosquitto(in: folder) { broker in
            // In real time.
            let shop = try shop(broker, device: "null")
            let box = try await shop.trial.startBox()
            let page = try await launchPage(shop)
            try await shop.trial.publish((1...14).map { notice("B-\($0)", "\($0)") })
            try await box.logged(" stored ", "id=B-14")
            let answer = try await shop.ask("POST", "/api/code")
            #expect(answer.code == 429 && answer.text.contains("retry_in"))
            #expect(!box.errors.entries.contains { $0.contains("sign_in=code") })
            #expect(try await box.stop() == 0)
            #expect(try await page.stop() == 0)
        }
    }

    @Test("Whoever signs all phones out by the command has signed them out of a page that runs")
    func signOutAll() async throws {
        try await withMosquitto(in: folder) { broker in
            var shop = try shop(broker)
            let box = try await shop.trial.startBox()
            let page = try await launchPage(shop)
            try await shop.signIn(overhearing: page)
            #expect(try await shop.ask("GET", "/api/history").code == 200)
            let result = try await soundbox("page", "--sign-out-all", "--state", folder.path)
            #expect(result.code == 0 && result.output == ["every phone is signed out"])
            #expect(try await shop.ask("GET", "/api/history").code == 401)
            #expect(try await box.stop() == 0)
            #expect(try await page.stop() == 0)
        }
    }

    @Test("Without a page in the setup there is no socket for one, and the command says what switches it on")
    func off() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker)
            let box = try await trial.startBox()
            let result = try await soundbox("page", "--config", trial.configurationFile, "--state", folder.path)
            #expect(result.code == 1)
            #expect(result.errors.joined().contains("page: {enabled: true} switches it on"))
            #expect(!FileManager.default.fileExists(atPath: folder.file("page.sock")))
            #expect(try await box.stop() == 0)
        }
    }

    @Test("A page that is killed, and two thousand connections to it, keep no payment from being told")
    func noHarm() async throws {
        try await withMosquitto(in: folder) { broker in
            var shop = try shop(broker)
            let box = try await shop.trial.startBox()
            let page = try await launchPage(shop)
            try await shop.signIn(overhearing: page)
            let port = shop.port
            let flood = Task {
                let half = Array("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ".utf8)
                var open: [Int32] = []
                defer { for descriptor in open { close(descriptor) } }
                for _ in 0..<2000 {
                    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
                    guard descriptor >= 0 else { continue }
                    open.append(descriptor)
                    if LoopbackSocket.connect(descriptor, to: port) {
                        _ = send(descriptor, half, half.count, Int32(MSG_NOSIGNAL))
                    }
                    // Few at a time: the test's own descriptors are not what is tried.
                    if open.count > 200 { close(open.removeFirst()) }
                }
            }
            let receipts = try await shop.trial.publishAndWait((1...20).map { notice("F-\($0)", "\($0)") })
            #expect(receipts.count { $0.state == "announced" } == 20)
            await flood.value
            let told = try await shop.json("GET", "/api/history?day=today")
            #expect(told["entries"]?.elements?.count == 20)
            page.kill9()
            let later = try await shop.trial.publishAndWait([notice("F-21", "21")])
            #expect(later.count { $0.state == "announced" } == 1)
            #expect(try await box.stop() == 0)
        }
    }
}
