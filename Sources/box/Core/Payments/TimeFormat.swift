/// How a provider writes a time.
public enum TimeFormat: Sendable, Equatable {
    case rfc3339
    /// Since 1970, UTC.
    case unixSeconds
    case unixMilliseconds
    /// Digits in the places of `yyyy`, `MM`, `dd`, `HH`, `mm` and `ss`; everything else is literal. `offset` is that of
    /// the writer's clock, such as `+08:00`.
    case pattern(String, offset: String)

    /// `nil` when the pattern lacks a place or has one twice, or when the offset is invalid.
    public init?(pattern: String, offset: String) {
        self = .pattern(pattern, offset: offset)
        for place in Self.places where pattern.ranges(of: place).count != 1 { return nil }
        // No time contains letters such as the SSS and the quotes of other programs' patterns.
        let rest = Self.places.reduce(pattern) { $0.replacing($1, with: "") }
        guard rest.allSatisfy({ !($0.isASCII && $0.isLetter) && $0 != "'" || $0 == "T" || $0 == "Z" }) else {
            return nil
        }
        guard time("20260102030405", by: Array("yyyyMMddHHmmss".utf8), offset: offset) != nil else { return nil }
    }

    /// An example of this format, for errors.
    var example: String {
        switch self {
        case .rfc3339: "2026-11-21T10:15:00+08:00 (RFC 3339)"
        case .unixSeconds: "1795233600 (seconds since 1970)"
        case .unixMilliseconds: "1795233600000 (milliseconds since 1970)"
        case .pattern(let pattern, _): pattern
        }
    }

    /// Digits finer than a millisecond are cut off.
    func time(_ text: String) -> Timestamp? {
        switch self {
        case .rfc3339: return Timestamp(rfc3339: text)
        case .unixSeconds: return unixTime(text, millisecondsPerUnit: 1000)
        case .unixMilliseconds: return unixTime(text, millisecondsPerUnit: 1)
        case .pattern(let pattern, let offset): return time(text, by: Array(pattern.utf8), offset: offset)
        }
    }

    private func unixTime(_ text: String, millisecondsPerUnit: Int64) -> Timestamp? {
        guard let (whole, fraction) = Self.parts(text), let count = Int64(whole),
            Self.plausibleSeconds.contains(count / (1000 / millisecondsPerUnit))
        else { return nil }
        let part = millisecondsPerUnit == 1000 ? Int64((fraction + "000").prefix(3)) ?? 0 : 0
        return Timestamp(millisecondsSince1970: count * millisecondsPerUnit + part)
    }

    /// The parts before and after a point; `nil` if anything but digits follows it.
    private static func parts(_ text: String) -> (whole: String, fraction: String)? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { return (text, "") }
        guard !parts[1].isEmpty, parts[1].utf8.allSatisfy(\.isDigit) else { return nil }
        return (parts[0], parts[1])
    }

    private static let places = ["yyyy", "MM", "dd", "HH", "mm", "ss"]
    /// Up to the year 9999, the last that RFC 3339 can write.
    private static let plausibleSeconds: ClosedRange<Int64> = 0...253_402_300_799

    private func time(_ text: String, by pattern: [UInt8], offset: String) -> Timestamp? {
        var (bytes, fraction) = (Array(text.utf8), "")
        if bytes.count > pattern.count {
            // A fraction of the second after a time that ends with the second.
            guard pattern.last == UInt8(ascii: "s"), bytes[pattern.count] == UInt8(ascii: "."),
                let parts = Self.parts("0" + String(decoding: bytes[pattern.count...], as: UTF8.self))
            else { return nil }
            fraction = "." + parts.fraction
            bytes.removeSubrange(pattern.count...)
        }
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
            rfc3339: "\(place("y"))-\(place("M"))-\(place("d"))T\(place("H")):\(place("m")):\(place("s"))"
                + fraction + offset)
    }
}
