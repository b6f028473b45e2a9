import Glibc
import SoundboxControl
import SoundboxCore
import SoundboxMQTT
import SoundboxSystem

/// Tests the connection to the broker step by step, so that the result names the step that fails:
///
///     let check = BrokerCheck(settings: try MQTTSettings(configuration), presence: .away)
///     for finding in await check.run() { print(finding.detail) }
public struct BrokerCheck: Sendable {
    private let settings: MQTTSettings
    private let presence: BoxPresence

    /// - Parameter presence: the check does not disturb a running box.
    public init(settings: MQTTSettings, presence: BoxPresence) {
        self.settings = settings
        self.presence = presence
    }

    /// Looks up the name, connects, verifies, signs in, subscribes, and has a message sent back. Ends at the first step
    /// that fails. Changes nothing at the broker. With several brokers, one that works is enough: a problem with
    /// another one is a warning.
    ///
    /// Timeouts for each broker: 5 s to connect, then 20 s for the exchange, and further time to explain a failure.
    public func run() async -> [Finding] {
        if let end = ConnectionEnd.known {
            let reason = end.reason(brokers: settings.brokers.map(\.description))
            return [Finding("broker", .red, reason, advice: ConnectionEnd.advice)]
        }
        var checks: [[Finding]] = []
        for host in settings.hosts {
            checks.append(await BrokerCheck(settings: settings.only(host), presence: presence).runOnce())
        }
        let oneIsUsable = checks.contains { findings in !findings.contains { $0.level == .red } }
        return checks.flatMap(\.self).map { finding in
            var finding = finding
            if oneIsUsable, finding.level == .red { finding.level = .amber }
            return finding
        }
    }

    private func runOnce() async -> [Finding] {
        guard let host = settings.hosts.first, let broker = settings.brokers.first else { return [] }
        let addresses: [String]
        do {
            addresses = try await onOwnThread(named: "resolver") { try Self.addresses(of: host.name) }
        } catch {
            return [
                Finding(
                    "name lookup", .red, "\(host.name): \(error)",
                    advice: "check the spelling, the network cable or Wi-Fi, and the DNS server (resolvectl status)")
            ]
        }
        let lookup = Finding("name lookup", .green, "\(host.name) is \(addresses.joined(separator: ", "))")
        if let reason = await TCPCheck.failure(host: host.name, port: host.port) {
            return [
                lookup,
                Finding("broker", .red, "cannot reach \(broker): \(reason)", advice: Self.addressAdvice),
            ]
        }
        do {
            let probe = MQTTProbe(settings: settings)
            let (outcome, speaks5) = try await onOwnThread(named: "probe") { try probe.run(timeout: .seconds(20)) }
            return [lookup] + findings(outcome) + (speaks5 ? [] : [Self.unbounded])
        } catch let error as MQTTError {
            if case .refused(_, let refusal) = error, refusal.concernsSignIn {
                return [lookup, await refused(error)]
            }
            return [lookup, await finding(error)]
        } catch {
            return [lookup, Finding("broker", .red, "\(error)")]
        }
    }

    /// MQTT 5 tells the broker the maximum packet size. In 3.1.1 the library allocates any size that a message
    /// announces.
    private static let unbounded = Finding(
        "MQTT", .amber, "MQTT 3.1.1 is spoken with this broker: one very large message can stop the box",
        advice:
            "see broker.protocol; otherwise limit the size of messages at the broker (mosquitto: message_size_limit)")

    private static let addressAdvice = "check the address and the port, and whether a firewall is in between"

    private func findings(_ outcome: MQTTProbe.Outcome) -> [Finding] {
        let broker = settings.brokers.map(\.description).joined(separator: ", ")
        let connection =
            settings.tls == nil
            ? Finding(
                "broker", .amber, "\(broker) accepts the connection, which is not encrypted",
                advice: "whoever can reach the network can forge payments; use an mqtts:// broker outside of trials")
            : Finding("broker", .green, "\(broker) proves who it is and accepts the connection")
        switch outcome {
        case .delivered: return [connection, Finding("subscription", .green, "a message went there and came back")]
        case .rewritten(let sent, let delivered, let isCertain):
            return [
                connection,
                Finding(
                    "topics", isCertain ? .amber : .red,
                    "the broker delivers what is published on \"\(sent)\" as \"\(delivered)\""
                        + (isCertain
                            ? "; the box takes it for what it is" : ", which another box may be called as well"),
                    advice: "leave . and * out of merchant_id, device_id and the topics: RabbitMQ rewrites them"),
            ]
        case .markerMissing(let answer):
            return [
                connection,
                Finding(
                    "subscription", .amber,
                    FeedFault.markerMissing(topic: settings.topics[.probe], answer: answer).description,
                    advice: "that was under another client id than the box's: where the access list is bound to the "
                        + "client id, the warnings of the running box count"),
            ]
        case .weak(let topics):
            return [
                connection,
                Finding(
                    "subscription", .amber, FeedFault.grantedQoS0(topics: topics).description,
                    advice: "ask who runs the broker"),
            ]
        }
    }

    /// The broker refuses the check's own client id. The reason may be the user, or only the id.
    private func refused(_ error: MQTTError) async -> Finding {
        switch presence {
        case .running:
            return Finding(
                "sign-in", .amber,
                "\(error). That was under another client id than the box's, and may be meant for that id alone: what the "
                    + "running box says counts",
                advice: "where the broker binds client ids to users, stop the box to have its own id tried: "
                    + "systemctl stop soundbox")
        case .unknown:
            return Finding(
                "sign-in", .red, error.description,
                advice: "if the broker binds client ids to users, the box's own is tried when the box is stopped; "
                    + "otherwise run: sudo soundbox setup")
        case .away:
            do {
                let probe = MQTTProbe(settings: settings)
                try await onOwnThread(named: "probe") { try probe.signInAsBox(timeout: .seconds(20)) }
            } catch {
                return Finding("sign-in", .red, "\(error)", advice: "run: sudo soundbox setup")
            }
            return Finding(
                "sign-in", .amber,
                "the broker lets this user in under the box's own client id only, \(settings.clientID), and does so",
                advice: "no message was sent there and back, which would disturb what waits; a trial payment tells for "
                    + "certain")
        }
    }

    /// What listens at the port, if the error may come from a wrong port.
    private func wrongPort(_ error: MQTTError) async -> Finding? {
        switch error {
        case .unreachable(_, .closed), .unreachable(_, .closedInHandshake), .unreachable(_, .tls(.notTLS)),
            .unreachable(_, .tls(.other)), .connectionLost(.violation), .timedOut:
            guard let host = settings.hosts.first,
                let explanation = await PortCheck.listener(host: host.name, port: host.port)?
                    .explanation(usesTLS: settings.tls != nil)
            else { return nil }
            return Finding("broker", .red, "\(host.name):\(host.port): \(explanation)", advice: Self.addressAdvice)
        default: return nil
        }
    }

    private func finding(_ error: MQTTError) async -> Finding {
        if let finding = await wrongPort(error) { return finding }
        switch error {
        case .unreachable(let broker, .tls(let failure)) where failure.isRefusedCertificate:
            var explanation: String?
            if failure.concernsDatesOrNames {
                let certificate = await BrokerCertificate.fetch(host: broker.host, port: broker.port)
                explanation = certificate?.explanation(for: broker.host, now: time(nil))
            }
            return Finding(
                "TLS", .red, explanation ?? failure.description,
                advice: "nothing is sent to a broker that cannot prove who it is; ask who runs it, or correct the "
                    + "address, the authority's file or the clock")
        case .unreachable(_, .tls(.oldVersion)):
            return Finding("TLS", .red, error.description, advice: "nothing is sent over a connection that is not safe")
        case .unreachable(_, .tls(.unknownKey)):
            return Finding(
                "TLS", .red, error.description,
                advice: "nothing was sent to it; ask who runs the broker whether its key has changed, by another way "
                    + "than this network, and only then change broker.pin_sha256")
        case .unreachable(_, .tls):
            return Finding("TLS", .red, error.description, advice: Self.addressAdvice)
        case .unreachable:
            return Finding("broker", .red, error.description, advice: Self.addressAdvice)
        case .refused:
            return Finding("sign-in", .red, error.description, advice: "run: sudo soundbox setup")
        case .subscriptionRefused, .publicationRefused: return Finding("subscription", .red, error.description)
        case .invalidSettings, .connectionLost, .timedOut, .refusedByBox:
            return Finding("broker", .red, error.description)
        }
    }

    /// Numeric addresses of a host. Blocks on the system's resolver.
    private static func addresses(of host: String) throws(LookupError) -> [String] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        guard code == 0 else { throw LookupError(description: String(cString: gai_strerror(code))) }
        defer { freeaddrinfo(list) }
        var addresses: [String] = []
        var next = list
        while let entry = next?.pointee {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            if getnameinfo(
                entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
            {
                addresses.append(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
            }
            next = entry.ai_next
        }
        return addresses
    }

    private struct LookupError: Error, CustomStringConvertible { var description: String }
}

extension LinkFailure.TLSFailure {
    fileprivate var isRefusedCertificate: Bool {
        if case .untrusted = self { true } else { self == .otherHost }
    }

    /// Whether the certificate's dates or names explain it.
    fileprivate var concernsDatesOrNames: Bool {
        [.otherHost, .untrusted(.expired), .untrusted(.notYetValid)].contains(self)
    }
}

/// A process that ended while it was connected to the broker, in words.
///
///     let end = ConnectionEnd(signal: SIGABRT)
///     print(end.reason(brokers: ["mqtt://broker.example:1883"]))
public struct ConnectionEnd: Sendable, Equatable {
    /// The variable of the environment that has the signal, for a check-up after such an end.
    public static let key = "SOUNDBOX_CONNECTION_END"

    /// What to do.
    public static let advice =
        "set broker.protocol to \"3.1.1\", and ask who runs the broker what it sends; without TLS, look at the line as "
        + "well"

    let signal: Int32

    public init(signal: Int32) { self.signal = signal }

    /// `nil` if this process has not been told of such an end.
    static var known: ConnectionEnd? {
        getenv(key).flatMap { Int32(String(cString: $0)) }.map(ConnectionEnd.init(signal:))
    }

    /// - Parameter brokers: their addresses; empty if they are not known.
    public func reason(brokers: [String]) -> String {
        let name = strsignal(signal).map { String(cString: $0) } ?? "unknown"
        let broker = brokers.isEmpty ? "the broker" : brokers.joined(separator: " or ")
        return "the connection to \(broker) has ended the program with signal \(signal) (\(name)): something came that "
            + "libmosquitto cannot read"
    }
}

/// Whether the box itself may be connected to its broker. A broker accepts one connection per client id.
public enum BoxPresence: Sendable, Equatable {
    case running
    /// No box runs, or it is not in service.
    case away
    case unknown

    /// - Parameter answer: the answer of the box's control socket.
    init(_ answer: Result<BoxStatus, ControlError>) {
        self =
            switch answer {
            // A box that is not in service has no broker.
            case .success(let status): status.broker == nil ? .away : .running
            case .failure(let error): error.meansNoBox ? .away : .unknown
            }
    }

    /// Asks the control socket.
    static func ask(socketPath: String) async -> BoxPresence {
        do { return BoxPresence(.success(try await ControlClient(socketPath: socketPath).status())) } catch {
            return BoxPresence(.failure(error))
        }
    }
}
