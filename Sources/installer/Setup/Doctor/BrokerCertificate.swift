import Glibc
import SoundboxCore
import SoundboxMQTT
import SoundboxSystem

/// The dates and names of a broker's certificate, fetched without trusting it. They explain a refused connection, whose
/// error does not contain them. Never used to allow a connection.
struct BrokerCertificate: Sendable, Equatable {
    /// Seconds since 1970.
    var notBefore: Int
    var notAfter: Int
    /// The host names and addresses in the certificate.
    var names: [String]

    /// Connects, reads the certificate and disconnects.
    /// - Returns: `nil` if the broker offers none within `limit`.
    static func fetch(host: String, port: Int, within limit: Duration = TCPCheck.limit) async -> BrokerCertificate? {
        let deadline = Duration.monotonicNow + limit
        let offered = await onOwnThread(named: "certificate", within: limit) { () -> OfferedCertificate? in
            guard case .success(let socket) = TCPCheck.connect(host: host, port: port, until: deadline) else {
                return nil
            }
            defer { close(socket) }
            return OfferedCertificate(on: socket, host: host, within: deadline - .monotonicNow)
        }
        guard case .some(.some(let certificate)) = offered else { return nil }
        return BrokerCertificate(
            notBefore: certificate.notBefore, notAfter: certificate.notAfter, names: certificate.names)
    }

    init(notBefore: Int, notAfter: Int, names: [String]) {
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.names = names
    }

    /// Why a box with this clock refuses the certificate; `nil` if neither dates nor names are the reason.
    ///
    /// - Parameter now: seconds since 1970.
    func explanation(for host: String, now: Int) -> String? {
        if now < notBefore {
            return "the broker's certificate is not valid yet: it begins in \(Self.span(notBefore - now)), by this "
                + "device's clock; is the clock right?"
        }
        if now > notAfter { return "the broker's certificate expired \(Self.span(now - notAfter)) ago" }
        if !names.contains(where: { Self.covers($0, host) }) {
            let names = names.isEmpty ? "no host at all" : names.joined(separator: ", ")
            return "the broker's certificate is for \(names), and not for \(host)"
        }
        return nil
    }

    private static func span(_ seconds: Int) -> String {
        let (count, unit) =
            switch seconds {
            case ..<7200: (max(1, seconds / 60), "minute")
            case ..<172_800: (seconds / 3600, "hour")
            default: (seconds / 86_400, "day")
            }
        return "\(count) \(unit)\(count == 1 ? "" : "s")"
    }

    /// A wildcard stands for exactly the first label (RFC 6125, section 6.4.3).
    private static func covers(_ name: String, _ host: String) -> Bool {
        let (name, host) = (name.lowercased(), host.lowercased())
        guard name.hasPrefix("*.") else { return name == host }
        return host.drop { $0 != "." } == name.dropFirst()
    }
}
