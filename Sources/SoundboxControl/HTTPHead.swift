import CMicroHTTPD
import SoundboxCore

/// The first line and the headers of a request, as they were sent.
struct HTTPHead {
    /// `HTTP/1.1`.
    var version: String
    var target: [UInt8]
    /// In their order.
    var headers: [(name: String, value: String)]
    /// A header goes on in another line (RFC 9112, section 5.2).
    var isFolded = false

    /// The first header of that name.
    /// - Parameter name: in lower case.
    subscript(name: String) -> String? { values(name).first }

    private func values(_ name: String) -> [String] { headers.filter { $0.name.lowercased() == name }.map(\.value) }

    /// Why it can be read in two ways. A proxy in front of this server may read it the other way, and then take another
    /// request for the next, or ask another host (RFC 9112, section 11.2).
    var ambiguity: String? {
        if isFolded { return "a header goes on in a second line" }
        if let header = headers.first(where: { !Self.isToken($0.name) }) {
            return "\(header.name.excerpt) is no name of a header"
        }
        let (lengths, encodings, hosts) = (values("content-length"), values("transfer-encoding"), values("host"))
        if lengths.count > 1 { return "there are \(lengths.count) headers Content-Length; expected one" }
        // libmicrohttpd has refused a length that is no number.
        if !encodings.isEmpty {
            guard lengths.isEmpty else { return "there are both Content-Length and Transfer-Encoding; expected one" }
            guard encodings.map({ $0.lowercased() }) == ["chunked"], version != "HTTP/1.0" else {
                return "Transfer-Encoding: expected chunked alone, in HTTP/1.1"
            }
        }
        guard hosts.count == 1 || hosts.isEmpty && version == "HTTP/1.0" else {
            return "there are \(hosts.count) headers Host; expected one"
        }
        guard isTarget(of: hosts.first) else {
            return "the target: expected a path that begins with /, or a URL of the host in the header Host"
        }
        return nil
    }

    private func isTarget(of host: String?) -> Bool {
        let text = String(decoding: target, as: UTF8.self)
        // Excludes spaces and control characters; libmicrohttpd takes the last space for the end.
        guard target.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else { return false }
        if text.hasPrefix("/") || text == "*" { return true }
        guard let scheme = text.firstRange(of: "://") else { return false }
        let authority = text[scheme.upperBound...].prefix { !"/?#".contains($0) }
        return authority.lowercased() == host?.lowercased()
    }

    private static func isToken(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}

extension HTTPHead {
    init(of connection: OpaquePointer, version: UnsafePointer<CChar>, target: [UInt8]) {
        var head = HTTPHead(version: String(cString: version), target: target, headers: [])
        withUnsafeMutablePointer(to: &head) { head in
            soundbox_http_headers(connection, head) { head, _, name, value in
                guard let head = head?.assumingMemoryBound(to: HTTPHead.self), let name else {
                    return soundbox_http_result(false)
                }
                head.pointee.headers.append((String(cString: name), value.map { String(cString: $0) } ?? ""))
                // Both point into the buffer that was read, the name first. Only libmicrohttpd 0.9.75 (Debian 12) moves
                // one: it appends a folded line to the name, `Content-Length5`.
                if let value, value < name { head.pointee.isFolded = true }
                return soundbox_http_result(true)
            }
        }
        self = head
    }
}
