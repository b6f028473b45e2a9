/// Percent-encoding of URIs (RFC 3986, section 2.1) and of forms, where a plus sign is a blank.
package enum PercentEncoding {
    /// - Returns: `nil` for a percent sign without two hexadecimal digits.
    package static func decoded(_ text: some Sequence<UInt8>, isForm: Bool = false) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = Array(text)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+") where isForm: bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard rest.count >= 2, let decoded = [UInt8](hexadecimal: rest.prefix(2)) else { return nil }
                bytes += decoded
                rest = rest.dropFirst(2)
            default: bytes.append(byte)
            }
        }
        return bytes
    }
}
