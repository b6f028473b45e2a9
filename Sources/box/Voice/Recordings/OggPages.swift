import Glibc
import SoundboxSystem

/// Checks the pages of an Ogg file before libsndfile reads them. libsndfile passes over a damaged page in silence, reads
/// only the first of several streams, and does not notice that a file was cut off between two pages.
///
///     if let problem = OggPages.problem(in: descriptor) { print(problem) }
///
/// Layout: RFC 3533, section 6; of Opus in it: RFC 7845. Other containers pass.
package enum OggPages {
    /// One whole page.
    private struct Page {
        static let headerSize = 27

        let bytes: [UInt8]

        var isFirst: Bool { bytes[5] & 2 != 0 }
        var isLast: Bool { bytes[5] & 4 != 0 }
        /// The position at the end of the page; -1 when no packet ends in it.
        var position: Int64 { Int64(bitPattern: number(at: 6, UInt64.self)) }
        var stream: UInt32 { number(at: 14, UInt32.self) }
        var number: UInt32 { number(at: 18, UInt32.self) }
        /// The lengths of the pieces of packets; 255 goes on in the next one.
        var segments: ArraySlice<UInt8> { bytes[Self.headerSize..<bodyStart] }
        var bodyStart: Int { Self.headerSize + Int(bytes[26]) }

        var checksum: UInt32 { number(at: OggPages.checksumOffset, UInt32.self) }

        private func number<Number: FixedWidthInteger>(at offset: Int, _: Number.Type) -> Number {
            bytes[offset..<offset + Number.bitWidth / 8].reversed().reduce(0) { $0 << 8 | Number($1) }
        }
    }

    /// Of the checksum within a page.
    package static let checksumOffset = 22

    /// - Parameter page: with any bytes in the checksum's place.
    /// - Returns: what must stand there.
    package static func checksum(of page: [UInt8]) -> UInt32 {
        let place = checksumOffset..<checksumOffset + 4
        // By pointers, since each file is read anew: a table in memory costs a few instructions for each byte.
        return table.withUnsafeBufferPointer { table in
            page.withUnsafeBufferPointer { page in
                var sum: UInt32 = 0
                for index in page.indices {
                    sum = sum << 8 ^ table[Int(UInt8(sum >> 24) ^ (place.contains(index) ? 0 : page[index]))]
                }
                return sum
            }
        }
    }

    /// CRC-32 by bytes, highest bit first.
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte) << 24) { rest, _ in rest << 1 ^ (rest >> 31 == 1 ? 0x04C1_1DB7 : 0) }
    }

    /// - Returns: what is wrong, in words; `nil` when nothing is. Blocks on the disk; does not change the file's
    ///   position.
    static func problem(in file: Int32) throws(SystemError) -> String? {
        guard try read(file, 0, 4) == Array("OggS".utf8) else { return nil }
        var offset = 0
        var count: UInt32 = 0
        var stream: UInt32?
        var opus: OpusLength?
        var hasEnded = false
        while true {
            let page: Page
            switch try self.page(at: offset, in: file) {
            case .none where hasEnded: return opus?.problem
            case .none: return "it ends after \(offset) bytes, in the middle"
            case .some(nil): return "it holds no page after \(offset) bytes"
            case .some(.some(let next)): page = next
            }
            guard page.checksum == checksum(of: page.bytes) else { return "the page after \(offset) bytes is damaged" }
            guard !hasEnded, page.stream == stream ?? page.stream, page.isFirst == (count == 0) else {
                return "it holds more than one stream"
            }
            guard page.number == count else { return "a page is missing after \(offset) bytes" }
            stream = page.stream
            if count == 0 { opus = OpusLength(page.bytes[page.bodyStart...]) }
            opus?.add(page.segments, page.bytes[page.bodyStart...], position: page.position, isLast: page.isLast)
            hasEnded = page.isLast
            offset += page.bytes.count
            count += 1
        }
    }

    /// - Returns: `nil` at the end of the file, and `.some(nil)` for anything but a whole page.
    private static func page(at offset: Int, in file: Int32) throws(SystemError) -> Page?? {
        let begin = try read(file, offset, Page.headerSize + 255)
        if begin.isEmpty { return .none }
        guard begin.count >= Page.headerSize, begin.starts(with: "OggS\0".utf8) else { return .some(nil) }
        let bodyStart = Page.headerSize + Int(begin[26])
        guard begin.count >= bodyStart else { return .some(nil) }
        let size = begin[Page.headerSize..<bodyStart].reduce(bodyStart) { $0 + Int($1) }
        let bytes =
            size <= begin.count
            ? Array(begin.prefix(size)) : try begin + read(file, offset + begin.count, size - begin.count)
        return .some(bytes.count == size ? Page(bytes: bytes) : nil)
    }

    /// - Returns: fewer bytes than asked for only at the end.
    private static func read(_ file: Int32, _ offset: Int, _ count: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = pread(file, &bytes, count, off_t(offset))
        guard read >= 0 else { throw .last }
        return Array(bytes.prefix(read))
    }
}

/// The length of an Opus stream in samples at 48 kHz, by its packets and by what its header and pages say.
private struct OpusLength {
    /// The longest packet, and the most that may be cut off at either end. Encoders leave out 6.5 ms at the beginning, or
    /// the 80 ms that are recommended.
    private static let most = 5760

    private let skipped: Int
    private var total = 0
    /// The position before the first packet.
    private var start: Int?
    private var end = 0
    /// The first two bytes of a packet, and whether it goes on in the next segment.
    private var packet: [UInt8] = []
    private var headersLeft = 2
    private var hasNoEnd = false

    /// - Parameter header: the first packet of the stream; `nil` for anything but Opus.
    init?(_ header: ArraySlice<UInt8>) {
        let header = Array(header)
        guard header.starts(with: "OpusHead".utf8), header.count >= 19 else { return nil }
        skipped = Int(header[10]) | Int(header[11]) << 8
    }

    mutating func add(_ segments: ArraySlice<UInt8>, _ body: ArraySlice<UInt8>, position: Int64, isLast: Bool) {
        var body = body
        let before = total
        for length in segments {
            packet += body.prefix(Int(length)).prefix(max(0, 2 - packet.count))
            body = body.dropFirst(Int(length))
            guard length < 255 else { continue }
            if headersLeft > 0 { headersLeft -= 1 } else { total += Self.samples(in: packet) }
            packet = []
        }
        if isLast, position < 0 { hasNoEnd = true }
        guard total > before, position >= 0 else { return }
        // A stream may have been cut out of a longer one. In one of a single page only its end can be cut.
        if start == nil { start = isLast ? 0 : Int(clamping: position) - (total - before) }
        end = Int(clamping: position) - (start ?? 0)
    }

    /// Those of a packet (RFC 6716, section 3).
    private static func samples(in packet: [UInt8]) -> Int {
        guard let first = packet.first else { return 0 }
        let setting = Int(first >> 3)
        let frame =
            switch setting {
            case ..<12: [480, 960, 1920, 2880][setting % 4]
            case ..<16: [480, 960][setting % 2]
            default: [120, 240, 480, 960][setting % 4]
            }
        switch first & 3 {
        case 0: return frame
        case 3: return frame * Int(packet.count > 1 ? packet[1] & 63 : 0)
        default: return frame * 2
        }
    }

    /// What is wrong, in words.
    var problem: String? {
        if hasNoEnd { return "its last page does not say where the sound ends" }
        if skipped > Self.most { return "its header leaves out the first \(skipped / 48) ms" }
        if end > total { return "it claims to last \(end / 48) ms and holds \(total / 48) ms" }
        if end < total - Self.most { return "it claims to end after \(end / 48) ms and holds \(total / 48) ms" }
        return end <= skipped ? "it holds no sound" : nil
    }
}
