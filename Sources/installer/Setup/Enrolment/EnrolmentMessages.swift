import SoundboxCore

/// The request of a box without a setup to the issuer of its claim.
struct EnrolmentRequest: Sendable, Equatable {
    var claim: String
    /// Unique to this machine.
    var hardwareID: String
    /// Used once, so that an answer to another request is not accepted.
    var nonce: String
    /// A signing request (PKCS #10) in PEM, for the key that the box has made.
    var signingRequest: String

    /// The bytes that the claim's token authenticates.
    var signedBytes: [UInt8] { Array("\(claim)\n\(hardwareID)\n\(nonce)\n\(signingRequest)".utf8) }

    /// - Parameter proof: HMAC-SHA-256 of ``signedBytes`` by the claim's token, in hexadecimal digits.
    func payload(proof: String) -> [UInt8] {
        JSONValue.object([
            ("version", .integer(1)), ("claim", .string(claim)), ("hardware_id", .string(hardwareID)),
            ("nonce", .string(nonce)), ("request", .string(signingRequest)), ("proof", .string(proof)),
        ]).bytes
    }
}

/// The issuer's answer.
enum EnrolmentAnswer: Sendable, Equatable {
    /// - Parameters:
    ///   - certificate: in PEM.
    ///   - package: CMS in PEM: ``SealedSetup``, signed by the issuer, for the owner of the certificate alone.
    case granted(certificate: String, package: String)
    /// In words for people. Not authenticated.
    case refused(reason: String)

    /// `nil` for a payload that does not answer the request.
    /// - Parameter nonce: the nonce of the request.
    init?(decoding payload: [UInt8], nonce: String) {
        guard let json = try? JSONValue(parsing: payload), json["nonce"]?.string == nonce else { return nil }
        if let reason = json["refused"]?.string {
            self = .refused(reason: String(reason.unicodeScalars.filter { !$0.isControl }.prefix(300)))
        } else if let certificate = json["certificate"]?.string, let package = json["package"]?.string {
            self = .granted(certificate: certificate, package: package)
        } else {
            return nil
        }
    }
}

/// The content of the issuer's package.
struct SealedSetup: Sendable, Equatable {
    /// A provisioning file.
    var text: String

    /// - Throws: ``EnrolmentError`` if it is not a setup, or the answer to another request or another box.
    init(decoding content: [UInt8], for request: EnrolmentRequest) throws(EnrolmentError) {
        guard let json = try? JSONValue(parsing: content), let text = json["setup"]?.string else {
            throw EnrolmentError("the issuer's package holds no setup")
        }
        guard json["nonce"]?.string == request.nonce, json["hardware_id"]?.string == request.hardwareID else {
            throw EnrolmentError("the issuer's package is for another request than this box's")
        }
        self.text = text
    }
}

struct EnrolmentError: Error, Sendable, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The topics on which a box without a setup requests one. They differ from the topics of all boxes.
public enum EnrolmentTopics {
    public static let prefix = "soundbox/enrol"

    /// Whether this is a valid name of a claim or a machine: 1 to 64 ASCII letters, digits, dots, hyphens and
    /// underscores. An issuer may use it as the name of a file.
    public static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch UInt8(byte) {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "._-".utf8.contains(byte)
                }
            }
    }

    /// The topics of one box of a claim: ``Topic/receipts`` for the request, ``Topic/commands`` for the answer.
    ///
    /// - Parameter claim: one level, like `hardwareID`.
    public static func topics(claim: String, hardwareID: String) throws(TopicsError) -> Topics {
        try Topics(
            prefix: prefix, merchant: claim, device: hardwareID,
            layout: TopicLayout(own: [
                .receipts: "{prefix}/{merchant}/{device}/request", .commands: "{prefix}/{merchant}/{device}/answer",
            ]))
    }
}
