import Glibc
import SoundboxControl
import SoundboxCore
import SoundboxSystem
import SoundboxYAML
import TestSupport
import Testing

@testable import SoundboxGateway

@Suite("A receiver of callbacks", .timeLimit(.minutes(10)))
struct CallbackReceiverTests {
    private let keys: HookFolder
    private let secret: String

    init() throws {
        keys = try HookFolder()
        secret = try keys.secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", in: "standard-webhooks.secret")
    }

    private func receivers(_ text: String) throws -> [CallbackReceiver] {
        try CallbackReceiver.all(reading: try YAMLValue(parsing: text, file: "gateway.yaml"))
    }

    private func receiver(secrets: String? = nil) throws -> CallbackReceiver {
        try #require(
            try receivers(
                "shop: {url: \"https://shop.example/x\", secret_file: \(secrets ?? secret), on: [announced]}"
            ).first)
    }

    private func callback(id: String, body: String) -> Callback {
        Callback(number: 1, receiver: "shop", eventID: id, body: body, created: .start)
    }

    @Test("The signature is that of the test of Standard Webhooks, and of both keys while the key changes")
    func signature() throws {
        let other = try keys.secret("whsec_\(String(repeating: "A", count: 43))=", in: "other")
        let callback = callback(id: "msg_p5jXN8AQM9LWM0D4loKWxJek", body: #"{"test": 2432232314}"#)
        let time = Timestamp(millisecondsSince1970: 1_614_265_330_999)
        for secrets in [secret, "[\(secret), \(other)]"] {
            let headers = try receiver(secrets: secrets).signature(of: callback, at: time)
            #expect(headers.map(\.name) == ["webhook-id", "webhook-timestamp", "webhook-signature"])
            #expect(headers.prefix(2).map(\.value) == ["msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330"])
            let codes = headers[2].value.split(separator: " ")
            #expect(codes.first == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
            #expect(codes.count == (secrets == secret ? 1 : 2))
        }
    }

    @Test("The gateway's own hook for Standard Webhooks takes what it has signed, and nothing that was changed")
    func taken() throws {
        let hook = try keys.shipped("standard-webhooks")
        let callback = callback(id: "evt_1", body: #"{"id":"A","amount":"1"}"#)
        let time = Timestamp(millisecondsSince1970: 1_795_000_000_000)
        let signature = try receiver().signature(of: callback, at: time)
        func refusal(body: String, id: String = "evt_1") -> Int? {
            var headers = Dictionary(uniqueKeysWithValues: signature.map { ($0.name, $0.value) })
            headers["webhook-id"] = id
            return SoundboxGatewayTests.refusal(
                hook, HTTPRequest(headers: headers, body: Array(body.utf8)), at: 1_795_000_000)
        }
        #expect(refusal(body: callback.body) == nil)
        #expect(refusal(body: callback.body + " ") == 401)
        #expect(refusal(body: callback.body, id: "evt_2") == 401)
    }

    @Test(
        "An address is https, or this machine's",
        arguments: [
            ("https://shop.example", true), ("https://shop.example:8443/a?b=c", true), ("https://192.168.1.7/", true),
            ("http://127.0.0.1:8080/x", true), ("http://127.1.2.3/", true), ("http://[::1]:80/", true),
            ("http://localhost:80/", true), ("http://shop.example/", false), ("http://127.0.0.1.example/", false),
            ("http://localhost.example/", false), ("http://192.168.1.7/", false),
            ("http://127.0.0.1@shop.example/", false),
            ("https://user:pass@shop.example/", false), ("ftp://shop.example/", false), ("shop.example", false),
            ("https://", false), ("https://shop.example/#a", false), ("https://shop.example/a b", false),
            ("https://shop.example/\n", false), ("http://[::2]/", false), ("HTTP://shop.example/", false),
            ("https://shop.example:65535/", true), ("https://shop.example:65536/", false),
            ("https://shop.example:0/", false), ("http://127.999.0.1/", false), ("http://127.0.0.256/", false),
            ("http://127.0.0/", false), ("http://127.0.0.1.1/", false), ("http://128.0.0.1/", false),
        ])
    func addresses(url: String, isAllowed: Bool) { #expect(CallbackReceiver.isAllowed(url) == isAllowed) }

    @Test(
        "What is wrong is named with line and key, and never the secret",
        arguments: [
            (
                "url: \"http://shop.example/\", secret_file: SECRET, on: [announced]",
                "expected an address with https://"
            ),
            ("url: \"https://a\", secret_file: SECRET, on: [stored]", "expected one of announced, failed, given_up"),
            ("url: \"https://a\", secret_file: SECRET, on: []", "expected at least one"),
            ("url: \"https://a\", secret_file: SECRET", "on"), ("secret_file: SECRET, on: failed", "url"),
            ("url: \"https://a\", secret_file: /none/file, on: [failed]", "secret_file"),
            ("url: \"https://a\", secret_file: SECRET, on: [failed], nonsense: 1", "unknown key"),
            ("url: \"https://a\", secret_file: SHORT, on: [failed]", "expected at least"),
            ("url: \"https://a\", secret_file: WRAPPED, on: [failed]", "it has several lines"),
            ("url: \"https://a\", secret_file: SECRET, on: [failed], ca_file: /none/ca.pem", "ca_file"),
            ("url: \"https://a\", secret_file: SECRET, on: [failed], ca_file: SHORT", "has no certificate in PEM"),
        ])
    func wrong(section: String, complaint: String) throws {
        let short = try keys.secret("whsec_AAAA", in: "short")
        let wrapped = try keys.secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\nMfKQ9r8GKYqrTwjU", in: "wrapped")
        let text = section.replacing("SECRET", with: secret).replacing("SHORT", with: short)
            .replacing("WRAPPED", with: wrapped)
        let error = #expect(throws: YAMLError.self) { try receivers("shop: {\(text)}") }
        #expect(error?.description.contains(complaint) == true, "\(String(describing: error))")
        #expect(error?.description.contains("gateway.yaml:1") == true, "\(String(describing: error))")
        #expect(error?.description.contains("MfKQ9r8") == false)
    }

    @Test("With https nothing is sent to a server whose certificate is another's or signed by somebody else")
    func certificates() async throws {
        let certificates = try await TestCertificates(in: keys.folder)
        let callback = callback(id: "evt_1", body: "{}")
        for (pair, authority, isTaken) in [
            (certificates.server, certificates.authority, true), (certificates.server, certificates.stranger, false),
            (certificates.elsewhere, certificates.authority, false),
        ] {
            let server = try ChildProcess([
                "python3", "-c", Self.server, pair.certificate, pair.key,
            ])
            let port = try await server.output.next()
            let receiver = try #require(
                try receivers(
                    """
                    shop: {url: "https://localhost:\(port)/x", secret_file: \(secret), on: failed, \
                    ca_file: \(authority.certificate)}
                    """
                ).first)
            let answer = try await onOwnThread(named: "sender") { receiver.send(callback, at: Moment.start.time) }
            #expect((answer == .taken) == isTaken, "\(answer)")
            server.kill9()
            _ = try await server.exitStatus()
            #expect(server.output.entries == (isTaken ? [port, "evt_1"] : [port]))
        }
    }

    /// Prints its port, and the id of each event.
    private static let server = """
        import http.server, ssl, sys
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                print(self.headers["webhook-id"], flush=True)
                self.send_response(204)
                self.end_headers()
            def log_message(self, *_): pass
        server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        server.socket = context.wrap_socket(server.socket, server_side=True)
        print(server.server_port, flush=True)
        server.serve_forever()
        """

    @Test("Names are of letters, digits, - and _, and nine receivers are too many")
    func names() throws {
        let rest = "{url: \"https://a\", secret_file: \(secret), on: failed}"
        #expect(try receivers((1...8).map { "r\($0): \(rest)" }.joined(separator: "\n")).count == 8)
        #expect(throws: YAMLError.self) { try receivers((1...9).map { "r\($0): \(rest)" }.joined(separator: "\n")) }
        #expect(throws: YAMLError.self) { try receivers("\"a b\": \(rest)") }
        #expect(try receivers("{}").isEmpty)
        #expect("\(try receiver())".contains("MfKQ9r8") == false)
    }
}
