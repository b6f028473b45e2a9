import CMicroHTTPD
import Glibc
import SoundboxCore

/// The first line and the headers of a request, as they were sent.
struct HTTPHead {
    /// `HTTP/1.1`.
    var version: String
    var target: [UInt8]
    /// In their order. Blanks behind a value are still there: what libmicrohttpd makes of a length or an encoding with
    /// one is not known here.
    var headers: [(name: String, value: String)]
    /// A header goes on in another line (RFC 9112, section 5.2).
    var isFolded = false
    /// A line ends with a bare LF, or contains NUL (RFC 9112, section 2.2; RFC 9110, section 5.5).
    var hasBrokenLine = false

    /// The first header of that name, without blanks around it (RFC 9110, section 5.5).
    /// - Parameter name: in lower case.
    subscript(name: String) -> String? {
        guard let value = values(name).first else { return nil }
        func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let bytes = Array(value.utf8.drop(while: isBlank))
        return String(decoding: bytes.prefix(bytes.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? 0), as: UTF8.self)
    }

    private func values(_ name: String) -> [String] { headers.filter { $0.name.lowercased() == name }.map(\.value) }

    /// Why it can be read in two ways. A proxy in front of this server may read it the other way, and then take another
    /// request for the next, or ask another host (RFC 9112, section 11.2).
    var ambiguity: String? {
        if isFolded { return "a header goes on in a second line" }
        if hasBrokenLine {
            return "a line of its head: expected CR and LF at its end, no NUL, and in the first one single spaces"
        }
        if let header = headers.first(where: { !Self.isToken($0.name) }) {
            return "\(header.name.excerpt) is no name of a header"
        }
        // libmicrohttpd takes a bare CR for a part of the value.
        if let header = headers.first(where: { $0.value.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f } }) {
            return "\(header.name): its value has a control character"
        }
        let (lengths, encodings, hosts) = (values("content-length"), values("transfer-encoding"), values("host"))
        let origins = values("origin").count
        if origins > 1 { return "there are \(origins) headers Origin; expected one" }
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
    init(
        of connection: OpaquePointer, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>, target: [UInt8]
    ) {
        var reading = Reading(
            head: HTTPHead(version: String(cString: version), target: target, headers: []),
            nextLine: Reading.end(of: version) + 2)
        withUnsafeMutablePointer(to: &reading) { reading in
            soundbox_http_headers(connection, reading) { reading, _, name, value in
                guard let reading = reading?.assumingMemoryBound(to: Reading.self), let name else {
                    return soundbox_http_result(false)
                }
                reading.pointee.add(name, value)
                return soundbox_http_result(true)
            }
        }
        self = reading.head
        // From 1.0 on, the library itself refuses such a line, and moves what it has read.
        guard soundbox_http_keeps_lines() else { return }
        let isFirstWhole = Reading.end(of: method) + 1 + UInt(target.count) + 1 == UInt(bitPattern: version)
        let end = UInt(bitPattern: method) + UInt(soundbox_http_head_size(connection))
        hasBrokenLine = !isFirstWhole || reading.isBroken || end != reading.nextLine + 2
    }

    /// libmicrohttpd takes a bare LF for a line's end, and NUL for a text's, and does not tell. But it hands over
    /// the parts of the head where it has read them: behind each is exactly CR and LF when the next one begins two
    /// bytes behind it.
    private struct Reading {
        var head: HTTPHead
        /// The address where the next line must begin.
        var nextLine: UInt
        var isBroken = false

        static func end(of text: UnsafePointer<CChar>) -> UInt { UInt(bitPattern: text) + UInt(strlen(text)) }

        mutating func add(_ name: UnsafePointer<CChar>, _ value: UnsafePointer<CChar>?) {
            head.headers.append((String(cString: name), value.map { String(cString: $0) } ?? ""))
            // Both point into the buffer that was read, the name first. Only libmicrohttpd 0.9.75 (Debian 12) moves
            // one: it appends a folded line to the name, `Content-Length5`.
            if let value, value < name { head.isFolded = true }
            isBroken = isBroken || UInt(bitPattern: name) != nextLine
            nextLine = Self.end(of: value ?? name) + 2
        }
    }
}
