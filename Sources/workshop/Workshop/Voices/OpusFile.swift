import COpus
import Glibc
import SoundboxSystem
import SoundboxVoice

/// Encodes recordings as Ogg Opus:
///
///     let bytes = try OpusFile.bytes(of: recording, comment: nil)
///
/// Not by libsndfile, which leaves it to libopus how it encodes. libopus takes speech for speech then: it predicts what
/// is below 8 kHz (SILK) and loses 3.5 dB between 4 and 8 kHz, where 四 and 十 differ; and such a stream comes 50 µs
/// late. Nor would the bytes be the same each time. As music all is coded by its spectrum (CELT), which keeps the energy
/// of each band.
///
/// Layout: RFC 3533, section 6; RFC 7845.
struct OpusFile {
    /// Bits per second, from the first that is tried.
    static let bitRates: [Int32] = [32_000, 48_000, 64_000, 96_000]
    /// Twenty milliseconds.
    private static let packetsPerSecond = 50
    /// A page has 255 segments at most, and the largest packet has six.
    private static let packetsPerPage = 40
    /// Positions count samples at this rate.
    private static let positionsPerSecond = 48_000

    private var bytes: [UInt8] = []
    private var pageCount: UInt32 = 0

    /// The bytes of a mono file, the same each time for the same sound and version of libopus.
    ///
    /// - Parameter recording: at a rate that Opus has.
    static func bytes(
        of recording: Recording, comment: String?, bitRate: Int32 = bitRates[0]
    ) throws(RecordingError) -> [UInt8] {
        let (packets, skipped) = try packets(of: recording, bitRate)
        let scale = positionsPerSecond / recording.sampleRate
        var file = OpusFile()
        // Version 1, one channel; no gain, no further channels.
        let header =
            Array("OpusHead".utf8) + [1, 1] + number(skipped * scale, 2) + number(recording.sampleRate, 4) + [0, 0, 0]
        file.addPage([header], position: 0)
        let comments = comment.map { [Array("COMMENT=\($0)".utf8)] } ?? []
        let vendor = Array(String(cString: opus_get_version_string()).utf8)
        let tags = comments.reduce(number(vendor.count, 4) + vendor + number(comments.count, 4)) {
            $0 + number($1.count, 4) + $1
        }
        file.addPage([Array("OpusTags".utf8) + tags], position: 0)
        for start in stride(from: 0, to: packets.count, by: packetsPerPage) {
            let end = min(start + packetsPerPage, packets.count)
            let isLast = end == packets.count
            // The last page ends where the sound does, within its last packet.
            let position =
                isLast
                ? (skipped + recording.samples.count) * scale : end * positionsPerSecond / packetsPerSecond
            file.addPage(Array(packets[start..<end]), position: position, isLast: isLast)
        }
        return file.bytes
    }

    /// - Returns: the packets, and how many frames of them come before the sound.
    private static func packets(
        of recording: Recording, _ bitRate: Int32
    ) throws(RecordingError) -> (packets: [[UInt8]], skipped: Int) {
        func check(_ code: Int32) throws(RecordingError) {
            guard code >= 0 else {
                throw .unusable(file: recording.name, reason: "Opus: \(String(cString: opus_strerror(code)))")
            }
        }
        var code: Int32 = 0
        let encoder = opus_encoder_create(Int32(recording.sampleRate), 1, OPUS_APPLICATION_AUDIO, &code)
        try check(code)
        guard let encoder else { throw .unusable(file: recording.name, reason: "Opus: no memory") }
        defer { opus_encoder_destroy(encoder) }
        try check(soundbox_opus_set_bit_rate(encoder, bitRate))
        try check(soundbox_opus_set_complexity(encoder, 10))
        try check(soundbox_opus_set_music(encoder))
        var skipped: Int32 = 0
        try check(soundbox_opus_lookahead(encoder, &skipped))
        let length = recording.sampleRate / packetsPerSecond
        let count = (recording.samples.count + Int(skipped) + length - 1) / length
        let padding = [Float](repeating: 0, count: count * length - recording.samples.count)
        let samples = recording.samples + padding
        // The largest packet of one frame.
        var packet = [UInt8](repeating: 0, count: 1275)
        var packets: [[UInt8]] = []
        for start in stride(from: 0, to: samples.count, by: length) {
            let size = opus_encode_float(
                encoder, Array(samples[start..<start + length]), Int32(length), &packet, Int32(packet.count))
            try check(size)
            packets.append(Array(packet.prefix(Int(size))))
        }
        return (packets, Int(skipped))
    }

    private mutating func addPage(_ packets: [[UInt8]], position: Int, isLast: Bool = false) {
        let segments = packets.flatMap { packet in
            [UInt8](repeating: 255, count: packet.count / 255) + [UInt8(packet.count % 255)]
        }
        let flags: UInt8 = (pageCount == 0 ? 2 : 0) | (isLast ? 4 : 0)
        // The number of the stream matters only beside other streams.
        let stream = 1
        var page = Array("OggS".utf8) + [0, flags] + Self.number(position, 8) + Self.number(stream, 4)
        page += Self.number(Int(pageCount), 4) + [0, 0, 0, 0, UInt8(segments.count)] + segments
        for packet in packets { page += packet }
        let place = OggPages.checksumOffset
        page.replaceSubrange(place..<place + 4, with: Self.number(Int(OggPages.checksum(of: page)), 4))
        bytes += page
        pageCount += 1
    }

    private static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}

extension AudioFile {
    /// Writes a voice's recording as mono Opus, or as 16-bit FLAC at a rate that Opus does not have. It replaces the
    /// recording of this name in any other format. Blocks on the disk.
    ///
    /// The file appears under its name complete or not at all: it is written under another name, read back and renamed.
    /// - Parameters:
    ///   - stem: the path without the format's ending.
    ///   - isSynthesized: whether to mark it as such, so that another run may replace it.
    ///   - origin: what it was synthesised from, to be read as ``origin``.
    ///   - accepts: whether what Opus made of it will do. Otherwise it is written with more bits per second; the file with
    ///     the most stays, whether it will do or not.
    /// - Returns: whether the file is another one now.
    @discardableResult
    static func write(
        _ recording: Recording, to stem: String, isSynthesized: Bool, origin: String? = nil,
        accepts: (Recording) -> Bool = { _ in true }
    ) throws(RecordingError) -> Bool {
        let format = RecordingFormat.written(at: recording.sampleRate)
        let path = "\(stem).\(format.rawValue)"
        let before = try? SmallFile.bytes(of: path, limit: mostBytes)
        if format == .opus {
            let comment = isSynthesized ? Self.comment(origin: origin) : nil
            try writeOpus(recording, to: path, comment: comment, accepts: accepts)
        } else {
            try writeFLAC(recording, to: path, isSynthesized: isSynthesized, origin: origin)
        }
        for other in RecordingFormat.allCases where other != format { unlink("\(stem).\(other.rawValue)") }
        return before == nil || before != (try? SmallFile.bytes(of: path, limit: mostBytes))
    }

    private static let mostBytes = 1 << 24

    private static func writeOpus(
        _ recording: Recording, to path: String, comment: String?, accepts: (Recording) -> Bool
    ) throws(RecordingError) {
        let partial = path + ".partial"
        do throws(RecordingError) {
            for bitRate in OpusFile.bitRates {
                let bytes = try OpusFile.bytes(of: recording, comment: comment, bitRate: bitRate)
                do { try create(partial, bytes) } catch {
                    throw .unwritable(file: path, reason: error.description)
                }
                let written = try AudioFile(reading: partial).recording
                guard written.samples.count == recording.samples.count else {
                    throw .unwritable(file: path, reason: "the disk gives back something else")
                }
                if accepts(written) { break }
            }
            guard rename(partial, path) == 0 else {
                throw .unwritable(file: path, reason: SystemError.last.description)
            }
        } catch {
            unlink(partial)
            throw error
        }
    }

    private static func create(_ path: String, _ bytes: [UInt8]) throws(SystemError) {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw .last }
        let count = Glibc.write(file, bytes, bytes.count)
        let failure = count < 0 ? SystemError.last : SystemError(code: ENOSPC)
        guard close(file) == 0 else { throw .last }
        guard count == bytes.count else { throw failure }
    }
}
