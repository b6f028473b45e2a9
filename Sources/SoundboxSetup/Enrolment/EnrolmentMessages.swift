import SoundboxCore

/// What a box without a setup asks of the issuer of its claim.
public struct EnrolmentRequest: Sendable, Equatable {
    public var claim: String
    /// What tells this machine from every other one.
    public var hardwareID: String
    /// Used once: an answer to another request is none to this one.
    public var nonce: String
    /// A signing request (PKCS #10) in PEM, for the key that the box has made.
    public var signingRequest: String

    public init(claim: String, hardwareID: String, nonce: String, signingRequest: String) {
        (self.claim, self.hardwareID) = (claim, hardwareID)
        (self.nonce, self.signingRequest) = (nonce, signingRequest)
    }

    /// What the claim's token is to vouch for.
    public var signedBytes: [UInt8] { Array("\(claim)\n\(hardwareID)\n\(nonce)\n\(signingRequest)".utf8) }

    /// - Parameter proof: HMAC-SHA-256 of ``signedBytes`` by the claim's token, in hexadecimal digits.
    public func payload(proof: String) -> [UInt8] {
        JSONValue.object([
            ("version", .integer(1)), ("claim", .string(claim)), ("hardware_id", .string(hardwareID)),
            ("nonce", .string(nonce)), ("request", .string(signingRequest)), ("proof", .string(proof)),
        ]).bytes
    }
}

/// What the issuer answers.
public enum EnrolmentAnswer: Sendable, Equatable {
    /// - Parameters:
    ///   - certificate: in PEM.
    ///   - package: CMS in PEM: ``SealedSetup``, signed by the issuer, for the owner of the certificate alone.
    case granted(certificate: String, package: String)
    /// In words for people. Nobody vouches for them.
    case refused(reason: String)

    /// - Parameter nonce: of the request; `nil` is returned for what answers another one, or nothing.
    public init?(decoding payload: [UInt8], nonce: String) {
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

/// What a package holds.
public struct SealedSetup: Sendable, Equatable {
    /// A provisioning file.
    public var text: String

    /// - Throws: ``EnrolmentError`` for what is no setup, or another box's, or an answer of another day.
    public init(decoding content: [UInt8], for request: EnrolmentRequest) throws(EnrolmentError) {
        guard let json = try? JSONValue(parsing: content), let text = json["setup"]?.string else {
            throw EnrolmentError("the issuer's package holds no setup")
        }
        guard json["nonce"]?.string == request.nonce, json["hardware_id"]?.string == request.hardwareID else {
            throw EnrolmentError("the issuer's package is for another request than this box's")
        }
        self.text = text
    }
}

public struct EnrolmentError: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
