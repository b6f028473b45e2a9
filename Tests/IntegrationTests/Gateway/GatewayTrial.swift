import Glibc
import SoundboxCore
import SoundboxMQTT
import SoundboxSystem
import TestSupport

/// A gateway's folder and configuration. Nothing runs yet.
struct GatewayTrial {
    static let token = "0123456789abcdef0123456789abcdef"

    let folder: TemporaryFolder
    let brokerPort: Int
    let port: Int

    /// - Parameter database: a path or an address; `nil` is a file in the folder.
    init(
        folder: TemporaryFolder, brokerPort: Int, clientID: String = "gateway-1", database: String? = nil,
        settings: [String] = []
    ) throws {
        self.folder = folder
        self.brokerPort = brokerPort
        port = try LoopbackSocket.freePort()
        let tokens = try folder.write(
            "shop \(Self.token)\nrings \(String(Self.token.reversed())) rights=commands\n", to: "tokens")
        guard chmod(tokens, 0o600) == 0 else { throw TestFailure("chmod") }
        try folder.write(
            """
            client_id: \(clientID)
            broker: {url: "mqtt://127.0.0.1:\(brokerPort)"}
            listen: "127.0.0.1:\(port)"
            tokens_file: "\(tokens)"
            database: "\(database ?? folder.file("gateway.sqlite"))"
            \(settings.joined(separator: "\n"))

            """, to: "gateway.yaml")
    }

    /// Starts the gateway and returns when it answers.
    func start() async throws -> ChildProcess {
        // With SIGXFSZ ignored a write beyond a limit fails; otherwise it would end the process.
        let gateway = try ChildProcess([
            "env", "--ignore-signal=XFSZ", Products.gateway, "run", "--config", folder.file("gateway.yaml"),
        ])
        _ = try await gateway.errors.next { $0.contains(" listening ") ? $0 : nil }
        return gateway
    }

    /// - Returns: the status of the answer; `nil` when nobody answers.
    func post(_ id: String, _ amount: String = "12.50", to device: String = "box-01") async -> Int? {
        var request = HTTPFetch(
            "POST", "http://127.0.0.1:\(port)/payments/M1001/\(device)", limit: .seconds(300), most: 10_000)
        request.headers = ["Authorization: Bearer \(Self.token)"]
        request.body = Array(#"{"id":"\#(id)","amount":"\#(amount)"}"#.utf8)
        return try? await request.answer(onThreadNamed: "client").status
    }

    /// Posts a webhook to the hook `shop`.
    /// - Returns: the status of the answer; `nil` when nobody answers.
    func knock(_ body: String, token: String = Self.token) async -> Int? {
        var request = HTTPFetch("POST", "http://127.0.0.1:\(port)/hooks/shop", limit: .seconds(300), most: 10_000)
        request.headers = ["X-Token: \(token)"]
        request.body = Array(body.utf8)
        return try? await request.answer(onThreadNamed: "client").status
    }

    func ask(
        _ method: String, _ path: String, _ body: String? = nil, token: String? = Self.token
    ) async throws -> (status: Int, json: JSONValue) {
        var request = HTTPFetch(method, "http://127.0.0.1:\(port)\(path)", limit: .seconds(300), most: 1 << 20)
        request.headers = token.map { ["Authorization: Bearer \($0)"] } ?? []
        request.body = body.map { Array($0.utf8) }
        let answer = try await request.answer(onThreadNamed: "client")
        return (answer.status, (try? JSONValue(parsing: answer.body)) ?? .null)
    }

    /// What is known of a payment.
    func payment(_ id: String, of device: String = "box-01") async throws -> JSONValue {
        var request = HTTPFetch(
            "GET", "http://127.0.0.1:\(port)/payments/M1001/\(device)/\(id)", limit: .seconds(300), most: 10_000)
        request.headers = ["Authorization: Bearer \(Self.token)"]
        return try JSONValue(parsing: try await request.answer(onThreadNamed: "client").body)
    }

    /// Waits until a payment has this state. Nothing tells when.
    func await(_ id: String, _ state: String) async throws {
        while try await payment(id)["state"]?.string != state { try await Task.sleep(for: .milliseconds(20)) }
    }

    /// Publishes beside the gateway, as another sender.
    func publish(_ ids: [String], to device: String = "box-01") async throws {
        let publisher = MQTTPublisher(
            settings: MQTTSettings(
                hosts: [.init("127.0.0.1", port: brokerPort)], topics: try Topics(merchant: "M1001", device: device)))
        try await onOwnThread(named: "publisher") {
            try publisher.publish(ids.map { Array(#"{"id":"\#($0)","amount":"1"}"#.utf8) }, timeout: .seconds(300))
        }
    }
}

extension ChildProcess {
    /// Ends it as a power cut would, and waits for its end.
    func killNow() async throws {
        kill9()
        _ = try await exitStatus()
    }
}
