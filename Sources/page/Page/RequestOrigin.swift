import Glibc
import SoundboxControl
import SoundboxCore
import SoundboxSystem

/// Checks where a request comes from, by its headers and its socket.
enum RequestOrigin {
    /// Whether the page itself requests a change, and not another site that is open on the phone.
    static func isPage(_ request: HTTPRequest, isEncrypted: Bool) -> Bool {
        guard let host = request.headers["host"] else { return false }
        // Current browsers send one of the two with POST, PUT and DELETE.
        if let origin = request.headers["origin"] { return origin == "\(isEncrypted ? "https" : "http")://\(host)" }
        return request.headers["sec-fetch-site"] == "same-origin"
    }

    /// Whether the browser reached the page by a local name. A site of the Internet could point its own name here, and
    /// its script would count as the page's (DNS rebinding).
    ///
    /// - Parameter ownNames: called for a name that matches no other rule.
    static func isLocalName(_ host: String, ownNames: () -> [String] = ownNames) -> Bool {
        if host.wholeMatch(of: /\[[0-9A-Fa-f:.]+\](:[0-9]+)?/) != nil { return true }
        guard host.wholeMatch(of: /[A-Za-z0-9.-]+(:[0-9]+)?/) != nil else { return false }
        var name = host.prefix { $0 != ":" }.lowercased()
        // The final dot of an absolute name (RFC 1034, section 3.1).
        if name.hasSuffix(".") { name.removeLast() }
        if !name.contains(".") { return !name.isEmpty }
        if name.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }) { return true }
        return [".local", ".lan", ".home", ".internal", ".home.arpa", ".localdomain"].contains { name.hasSuffix($0) }
            || ownNames().contains(name)
    }

    /// The names of this machine in the shop's network: its host name with each search domain of its resolver, which
    /// come from the router. Blocks on the disk.
    static func ownNames() -> [String] {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return [] }
        let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return ownNames(host: host, resolver: (try? SmallFile.read("/etc/resolv.conf")) ?? "")
    }

    /// - Parameter resolver: the content of `/etc/resolv.conf`. The last `domain` or `search` counts; without one, the
    ///   host name's own domain (resolv.conf(5)).
    static func ownNames(host: String, resolver: String) -> [String] {
        let labels = host.lowercased().split(separator: ".", maxSplits: 1)
        guard let label = labels.first else { return [] }
        var domains = labels.dropFirst().map(String.init)
        for line in resolver.split(separator: "\n") {
            let words = line.split { $0 == " " || $0 == "\t" }
            if words.first == "search" || words.first == "domain" {
                domains = words.dropFirst().map { $0.split(separator: ".").joined(separator: ".").lowercased() }
            }
        }
        return domains.filter { !$0.isEmpty }.map { "\(label).\($0)" }
    }

    /// Whether both ends of a connection are in private networks. Called on the server's thread.
    static func isPrivate(_ descriptor: Int32) -> Bool {
        address(of: descriptor, getsockname).map { !$0.isPublic } == true
            && address(of: descriptor, getpeername).map { !$0.isPublic } == true
    }

    private static func address(
        of descriptor: Int32,
        _ ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> InternetAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isKnown = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask(descriptor, $0, &length) == 0 }
        }
        guard isKnown else { return nil }
        return withUnsafeBytes(of: storage) { bytes in
            switch Int32(storage.ss_family) {
            case AF_INET: InternetAddress(bytes: Array(bytes[4..<8]))
            case AF_INET6: InternetAddress(bytes: Array(bytes[8..<24]))
            default: nil
            }
        }
    }
}
