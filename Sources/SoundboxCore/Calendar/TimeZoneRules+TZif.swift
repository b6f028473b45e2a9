/// Why a file holds no time zone that can be gone by.
public struct TimeZoneError: Error, Sendable, Equatable, CustomStringConvertible {
    public var reason: String
    public init(_ reason: String) { self.reason = reason }
    public var description: String { reason }
}

extension TimeZoneRules {
    /// The largest file that is read. Those of the time zone database take up to 4 kB.
    public static let longestFile = 256 * 1024

    /// Reads the format of the time zone database, TZif (RFC 8536), versions 1 to 4. It trusts nothing.
    ///
    /// A file with leap seconds (the database's folder `right`) is refused: the box's clock does not count them.
    public init(tzif bytes: [UInt8]) throws(TimeZoneError) {
        guard bytes.count <= Self.longestFile else { throw TimeZoneError("is larger than 256 KiB") }
        var reader = Reader(bytes: bytes)
        let header = try reader.header()
        guard header.version > 0 else {
            self = try reader.rules(header, timeBytes: 4, rule: nil)
            return
        }
        try reader.skip(header.length(timeBytes: 4))
        let second = try reader.header()
        guard second.version > 0 else { throw TimeZoneError("its two headers are of different versions") }
        var footer = reader
        try footer.skip(second.length(timeBytes: 8))
        let rule = try footer.footer()
        self = try reader.rules(second, timeBytes: 8, rule: rule)
    }

    private struct Header {
        /// 0 for version 1, otherwise the version's number.
        var version: Int
        var utcCount, standardCount, leapCount, timeCount, typeCount, letterCount: Int

        /// Counts are below 2³¹, so this fits a 64-bit Int by far.
        func length(timeBytes: Int) -> Int {
            timeCount * (timeBytes + 1) + typeCount * 6 + letterCount + leapCount * (timeBytes + 4) + standardCount
                + utcCount
        }
    }

    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        mutating func skip(_ count: Int) throws(TimeZoneError) {
            guard count <= bytes.count - position else { throw TimeZoneError("ends too early") }
            position += count
        }

        /// Two's complement, most significant byte first.
        private mutating func number(_ count: Int) throws(TimeZoneError) -> Int64 {
            let start = position
            try skip(count)
            let first = Int64(Int8(bitPattern: bytes[start]))
            return bytes[start + 1..<position].reduce(first) { $0 << 8 | Int64($1) }
        }

        private mutating func count() throws(TimeZoneError) -> Int {
            let number = try number(4)
            guard number >= 0 else { throw TimeZoneError("a count in its header is too large") }
            return Int(number)
        }

        mutating func header() throws(TimeZoneError) -> Header {
            let start = position
            try skip(20)
            guard bytes[start..<start + 4].elementsEqual("TZif".utf8) else {
                throw TimeZoneError("is no time zone file (TZif)")
            }
            let version: Int
            switch bytes[start + 4] {
            case 0: version = 0
            case let letter where (UInt8(ascii: "2")...UInt8(ascii: "9")).contains(letter): version = Int(letter - 0x30)
            default: throw TimeZoneError("is of an unknown version")
            }
            let header = Header(
                version: version, utcCount: try count(), standardCount: try count(), leapCount: try count(),
                timeCount: try count(), typeCount: try count(), letterCount: try count())
            guard (1...256).contains(header.typeCount) else { throw TimeZoneError("it has no offset from UTC") }
            return header
        }

        mutating func rules(
            _ header: Header, timeBytes: Int, rule: RecurringRule?
        ) throws(TimeZoneError) -> TimeZoneRules {
            guard header.leapCount == 0 else { throw TimeZoneError("it counts leap seconds, which the clock does not") }
            // Before anything is made room for.
            var end = self
            try end.skip(header.length(timeBytes: timeBytes))
            var times: [Int64] = []
            for _ in 0..<header.timeCount { times.append(try number(timeBytes)) }
            let kinds = bytes[position..<position + header.timeCount].map(Int.init)
            try skip(header.timeCount)
            var offsets: [Int64] = []
            for _ in 0..<header.typeCount {
                offsets.append(try number(4))
                try skip(2)
            }
            guard offsets.allSatisfy(TimeZoneRules.offsets.contains), kinds.allSatisfy({ $0 < offsets.count }) else {
                throw TimeZoneError("one of its offsets is none")
            }
            guard zip(times, times.dropFirst()).allSatisfy(<) else {
                throw TimeZoneError("its changes are not in order")
            }
            let changes = zip(times, kinds).map { Change(at: $0, offset: offsets[$1]) }
            return TimeZoneRules(first: offsets[0], changes: changes, rule: rule)
        }

        /// The rule between two line feeds; `nil` for an empty one.
        func footer() throws(TimeZoneError) -> RecurringRule? {
            let rest = bytes[position...]
            guard rest.first == 0x0A, let end = rest.dropFirst().firstIndex(of: 0x0A) else {
                throw TimeZoneError("its last line is missing")
            }
            let text = rest[(position + 1)..<end]
            guard !text.isEmpty else { return nil }
            guard let rule = RecurringRule(text) else { throw TimeZoneError("its rule for the future cannot be read") }
            return rule
        }
    }
}
