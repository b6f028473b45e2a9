import Glibc
import SoundboxCore
import SoundboxSystem

/// Why a client cannot work with its broker. Decide by the case; the text is for people.
public enum MQTTError: Error, Sendable, Equatable {
    /// The settings cannot work.
    case invalidSettings(SettingsFault)
    /// No connection was made.
    case unreachable(broker: BrokerAddress, LinkFailure)
    /// The broker answered and refused this client.
    case refused(broker: BrokerAddress, Refusal)
    /// The broker refuses a subscription.
    case subscriptionRefused(topic: String, BrokerReason? = nil)
    /// The broker refuses a publication.
    case publicationRefused(topic: String, BrokerReason)
    /// The connection was established and ended.
    case connectionLost(Loss)
    /// The broker, or another peer that should have answered, sent nothing.
    case timedOut(waitingFor: Answer)
    /// What arrived could not be stored, so nothing of it was acknowledged. The reason is the delegate's.
    case refusedByBox(reason: String)

    /// Settings that cannot work.
    public enum SettingsFault: Sendable, Equatable {
        case noBroker
        case passwordWithoutUsername
        case certificateWithoutKey
        /// A field that is longer than MQTT allows.
        case tooLong(Field, bytes: Int)
        /// A field with a character that MQTT does not allow in text.
        case controlCharacter(Field)
        /// A file that cannot be read.
        case unreadable(CredentialFile, path: String, SystemError)
        /// A file that OpenSSL cannot use, with its reason; `nil` is the system's folder of authorities.
        case unusable(CredentialFile, path: String?, reason: String)
        /// The process has no file descriptor left.
        case noDescriptors(SystemError)
    }

    /// A field of CONNECT.
    public enum Field: Sendable, Equatable { case clientID, username, password, lastWill }

    /// Which of the settings' files.
    public enum CredentialFile: Sendable, Equatable { case authorities, certificate, key }

    /// Why a CONNACK refuses (MQTT 3.1.1, table 3.1; MQTT 5 has reasons).
    public enum Refusal: Sendable, Equatable {
        case protocolVersion, clientID, unavailable, badLogin, notAuthorised
        case code(UInt8)
        case reason(BrokerReason)

        /// Whether the cause is the credentials or the client id.
        public var concernsSignIn: Bool {
            switch self {
            case .clientID, .badLogin, .notAuthorised: true
            case .reason(let reason): [0x85, 0x86, 0x87, 0x8A].contains(reason.code)
            case .protocolVersion, .unavailable, .code: false
            }
        }

        /// In MQTT 3.1.1.
        init(code: UInt8) {
            let known: [Refusal] = [.protocolVersion, .clientID, .unavailable, .badLogin, .notAuthorised]
            self = (1...5).contains(code) ? known[Int(code) - 1] : .code(code)
        }
    }

    /// Why a connection ended.
    public enum Loss: Error, Sendable, Equatable {
        case link(LinkFailure)
        /// Nothing came back to a PINGREQ.
        case silence
        /// What arrived is no MQTT of the version in use. The text says what it was.
        case violation(String)
        /// The broker has ended it with a reason.
        case disconnected(BrokerReason)
    }

    /// The answer that did not come in time.
    public enum Answer: Sendable, Equatable {
        /// CONNACK.
        case acceptance(by: BrokerAddress)
        /// CONNACK and every SUBACK.
        case handshake
        case subscription
        /// PUBACK for what a publisher sent.
        case acknowledgement
        /// The box's answers.
        case receipts
        /// A probe's own message.
        case probe
    }
}

/// Why a connection was not made, or ended.
public enum LinkFailure: Error, Sendable, Equatable {
    /// The broker has closed it, with or without DISCONNECT.
    case closed
    /// The broker has closed it before TLS was established.
    case closedInHandshake
    case system(SystemError)
    /// The name cannot be looked up: the return value of `getaddrinfo`.
    case lookup(Int32)
    case tls(TLSFailure)
    case settings(MQTTError.SettingsFault)

    /// Why TLS was not established, or ended.
    public enum TLSFailure: Sendable, Equatable {
        /// No trusted authority has signed the broker's certificate, or it is not valid now.
        case untrusted(CertificateFault)
        /// The broker's certificate is for another host.
        case otherHost
        /// The broker's key is none of the pinned ones. `pin` is its SHA-256 in base64; `nil` when it cannot be read.
        case unknownKey(pin: String?)
        case wantsCertificate
        case notTLS
        /// The broker supports nothing newer than TLS 1.1.
        case oldVersion
        /// Anything else, in OpenSSL's words.
        case other(String)
    }
}

// MARK: Texts

// All texts are made here, one line each. They say what to do where that is known.

extension MQTTError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidSettings(let fault): fault.description
        case .unreachable(let broker, let failure): "cannot reach \(broker): \(failure)"
        case .refused(let broker, let refusal): "\(broker) refuses the connection: \(refusal)"
        case .subscriptionRefused(let topic, let reason):
            "the broker refuses the subscription to \"\(topic)\": "
                + (reason.map { "\($0); " } ?? "") + "let this user read it in the broker's access list"
        case .publicationRefused(let topic, let reason):
            "the broker refuses what is published on \"\(topic)\": \(reason)"
        case .connectionLost(let loss): "connection lost: \(loss)"
        case .timedOut(let answer): "timed out waiting for \(answer)"
        case .refusedByBox(let reason): "the messages that arrived could not be stored: \(reason)"
        }
    }
}

extension MQTTError.SettingsFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noBroker: "there is no broker to connect to"
        case .passwordWithoutUsername: "a broker password needs a user name beside it (username)"
        case .certificateWithoutKey: "a client certificate and its key go together (cert_file, key_file)"
        case .tooLong(let field, let bytes):
            "the \(field) has \(bytes) bytes; MQTT allows \(UInt16.max)"
        case .controlCharacter(let field): "the \(field) has a control character, which MQTT does not allow"
        case .unreadable(let file, let path, let error): "cannot read the broker's \(file) file \"\(path)\": \(error)"
        case .unusable(let file, let path, let reason):
            "the broker's \(file) file \"\(path ?? "/etc/ssl/certs")\" cannot be used: \(reason)"
        case .noDescriptors(let error): "cannot create a pair of sockets: \(error)"
        }
    }
}

extension MQTTError.Field: CustomStringConvertible {
    public var description: String {
        switch self {
        case .clientID: "client id"
        case .username: "user name"
        case .password: "broker password"
        case .lastWill: "last will"
        }
    }
}

extension MQTTError.CredentialFile: CustomStringConvertible {
    public var description: String {
        switch self {
        case .authorities: "CA"
        case .certificate: "certificate"
        case .key: "key"
        }
    }
}

extension MQTTError.Refusal: CustomStringConvertible {
    public var description: String {
        switch self {
        case .protocolVersion: "it does not speak this version of MQTT (see broker.protocol)"
        case .clientID: BrokerReason.refusedClientID
        case .unavailable: "it is not available"
        case .badLogin: "bad user name or password"
        case .notAuthorised: "not authorised; check the user name, the password and the broker's access list"
        case .code(let code): "code \(code)"
        case .reason(let reason): reason.description
        }
    }
}

extension MQTTError.Loss: CustomStringConvertible {
    public var description: String {
        switch self {
        case .link(let failure): failure.description
        case .silence: "the broker stopped answering"
        case .disconnected(let reason): "the broker has ended it: \(reason)"
        case .violation(let what): "the broker sent something that MQTT does not allow: \(what)"
        }
    }
}

extension MQTTError.Answer: CustomStringConvertible {
    public var description: String {
        switch self {
        case .acceptance(let broker): "\(broker) to accept the connection"
        case .handshake: "the broker's answer"
        case .subscription: "the broker to confirm the subscription"
        case .acknowledgement: "the broker to acknowledge the messages"
        case .receipts: "the box's receipts; the broker has the messages, so is the box running and online?"
        case .probe: "the probe to come back"
        }
    }
}

extension LinkFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .closed: "the broker closed the connection"
        case .closedInHandshake:
            "the broker closed the connection during the TLS handshake; "
                + "if it asks for a client certificate, check cert_file and key_file"
        case .system(let error): error.description
        case .lookup(let code): "the name cannot be looked up: \(String(cString: gai_strerror(code)))"
        case .tls(let failure): "TLS: \(failure)"
        case .settings(let fault): fault.description
        }
    }
}

extension LinkFailure.TLSFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .untrusted(let fault): "the broker's certificate is not trusted: \(fault)"
        case .otherHost: "the broker's certificate is made out to another host name"
        case .unknownKey(let pin):
            "the broker's key is none of those in pin_sha256; its SHA-256 is \(pin ?? "unreadable")"
        case .wantsCertificate: "the broker asks for a client certificate; set cert_file and key_file"
        case .notTLS: "the broker does not speak TLS on this port"
        case .oldVersion:
            "the broker speaks TLS 1.1 or older only, which is not safe; who runs it has to switch on TLS 1.2 or 1.3"
        case .other(let text): text.isEmpty ? "it failed, and OpenSSL does not say why" : text
        }
    }
}

/// Why OpenSSL does not trust a broker's certificate.
public enum CertificateFault: Sendable, Equatable {
    /// The chain leads to no trusted authority: the broker does not send this issuer's certificate, and the CA file
    /// does not contain it.
    case missingIssuer(String)
    /// The chain ends in this authority, which the CA file does not contain.
    case unknownAuthority(String)
    /// Signed only by itself.
    case selfSigned
    /// By this device's clock: the certificate, or one of its chain.
    case notYetValid, expired
    /// Below OpenSSL's security level (SSL_CTX_set_security_level(3)): the certificate, or one of its chain.
    case weakKey, weakSignature
    /// Anything else, in OpenSSL's words.
    case other(String)
}

extension CertificateFault: CustomStringConvertible {
    /// Continues "the broker's certificate is not trusted: ".
    public var description: String {
        switch self {
        case .missingIssuer(let name):
            "its authority \(name.quoted) is neither sent by the broker nor in the CA file; if it is an intermediate "
                + "authority, the broker has to send its certificate too (fullchain.pem); otherwise get its file for "
                + "ca_file from who runs the broker"
        case .unknownAuthority(let name):
            "its authority \(name.quoted) is not in the CA file; get the file for ca_file from who runs the broker"
        case .selfSigned:
            "it is signed by itself only; get its file for ca_file from who runs the broker"
        case .notYetValid: "it, or an authority that signed it, is not valid yet; check this device's clock"
        case .expired:
            "it, or an authority that signed it, has expired; check this device's clock, and ask who runs the broker"
        case .weakKey:
            "its key, or that of an authority that signed it, is too short; who runs the broker has to replace it (RSA "
                + "needs 2048 bits)"
        case .weakSignature:
            "it, or an authority that signed it, is signed with an outdated hash such as SHA-1; who runs the broker has "
                + "to replace it (SHA-256 or newer)"
        case .other(let text): text
        }
    }
}
