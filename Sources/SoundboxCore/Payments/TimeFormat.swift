/// How a provider writes a time.
public enum TimeFormat: Sendable, Equatable {
    case rfc3339
    /// Since 1970, UTC.
    case unixSeconds
    case unixMilliseconds
    /// Digits in the places of `yyyy`, `MM`, `dd`, `HH`, `mm` and `ss`; everything else stands for itself. `offset` is
    /// that of the clock that wrote it, such as `+08:00`.
    case pattern(String, offset: String)

    /// `nil` when the pattern lacks a place or has one twice, or when the offset is none.
    public init?(pattern: String, offset: String) {
        self = .pattern(pattern, offset: offset)
        for place in Self.places where pattern.ranges(of: place).count != 1 { return nil }
        guard time("20260102030405", by: Array("yyyyMMddHHmmss".utf8), offset: offset) != nil else { return nil }
    }

    /// What a value of this format looks like, for an error message.
    var example: String {
        switch self {
        case .rfc3339: "2026-11-21T10:15:00+08:00 (RFC 3339)"
        case .unixSeconds: "1795233600 (seconds since 1970)"
        case .unixMilliseconds: "1795233600000 (milliseconds since 1970)"
        case .pattern(let pattern, _): pattern
        }
    }

    func time(_ text: String) -> Timestamp? {
        switch self {
        case .rfc3339: return Timestamp(rfc3339: text)
        case .unixSeconds:
            guard let seconds = Int64(text), Self.plausibleSeconds.contains(seconds) else { return nil }
            return Timestamp(millisecondsSince1970: seconds * 1000)
        case .unixMilliseconds:
            guard let milliseconds = Int64(text), Self.plausibleSeconds.contains(milliseconds / 1000) else {
                return nil
            }
            return Timestamp(millisecondsSince1970: milliseconds)
        case .pattern(let pattern, let offset): return time(text, by: Array(pattern.utf8), offset: offset)
        }
    }

    private static let places = ["yyyy", "MM", "dd", "HH", "mm", "ss"]
    /// To the year 9999, the last that RFC 3339 can write.
    private static let plausibleSeconds: ClosedRange<Int64> = 0...253_402_300_799

    private func time(_ text: String, by pattern: [UInt8], offset: String) -> Timestamp? {
        let bytes = Array(text.utf8)
        guard bytes.count == pattern.count else { return nil }
        var digits: [UInt8: [UInt8]] = [:]
        for (letter, byte) in zip(pattern, bytes) {
            if "yMdHms".utf8.contains(letter) {
                guard byte.isDigit else { return nil }
                digits[letter, default: []].append(byte)
            } else if letter != byte {
                return nil
            }
        }
        func place(_ letter: Unicode.Scalar) -> String {
            String(decoding: digits[UInt8(ascii: letter)] ?? [], as: UTF8.self)
        }
        return Timestamp(
            rfc3339: "\(place("y"))-\(place("M"))-\(place("d"))T\(place("H")):\(place("m")):\(place("s"))\(offset)")
    }
}
