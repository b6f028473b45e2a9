import CSndFile
import TestSupport
import Testing
import VoiceTestSupport

@testable import SoundboxVoice

@Suite("Ogg Opus that is damaged or does not say the truth is refused, and the reason is told")
struct OggPagesTests {
    private let folder: SoundFolder
    /// Two seconds, so that there are several pages of sound.
    private let pages: [[UInt8]]

    init() throws {
        folder = try SoundFolder()
        pages = try Self.pages(of: Self.opus(in: folder))
    }

    private static func opus(in folder: SoundFolder, channelCount: Int = 1) throws -> [UInt8] {
        let tone = Recording.tone(lasting: .seconds(2), sampleRate: 24_000).pcm16
        try folder.write(
            channelCount == 1 ? tone : tone.flatMap { [$0, $0] }, to: "made.opus", sampleRate: 24_000,
            channelCount: channelCount, format: SF_FORMAT_OGG | SF_FORMAT_OPUS)
        return try folder.bytes(of: "made.opus")
    }

    private static func pages(of file: [UInt8]) -> [[UInt8]] {
        var pages: [[UInt8]] = []
        var rest = file[...]
        while rest.count >= 27 {
            let head = Array(rest.prefix(27 + Int(rest[rest.startIndex + 26])))
            let size = head.dropFirst(27).reduce(head.count) { $0 + Int($1) }
            pages.append(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return pages
    }

    /// A page with other bytes at an offset, and the checksum of its new content.
    private static func changed(_ page: [UInt8], at offset: Int, _ bytes: [UInt8]) -> [UInt8] {
        var page = page
        page.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        let sum = OggPages.checksum(of: page)
        let place = OggPages.checksumOffset
        page.replaceSubrange(place..<place + 4, with: (0..<4).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) })
        return page
    }

    private static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// Where a page says how many samples at 48 kHz end in it, and the header how many to leave out (behind one segment).
    private static let position = 6
    private static let skipped = 28 + 10

    private func problem(_ pages: [[UInt8]]) throws -> String? {
        let path = try folder.write(pages.flatMap { $0 }, to: "file.opus")
        do {
            _ = try AudioFile(reading: path)
            return nil
        } catch {
            #expect(error.description.contains(path) && !error.isPassing)
            return error.reason
        }
    }

    @Test("A whole file passes, and so does one of two channels")
    func whole() throws {
        #expect(pages.count >= 4)
        #expect(try problem(pages) == nil)
        #expect(try problem(Self.pages(of: Self.opus(in: folder, channelCount: 2))) == nil)
    }

    @Test("One cut off behind any page, or with one missing within or without its first or last one")
    func missingPages() throws {
        for count in 0..<pages.count { #expect(try problem(Array(pages.prefix(count))) != nil, "\(count)") }
        for index in pages.indices {
            var fewer = pages
            fewer.remove(at: index)
            #expect(try problem(fewer) != nil, "without page \(index)")
        }
    }

    @Test("One cut off within a page, wherever that is")
    func cut() throws {
        let bytes = pages.flatMap { $0 }
        for length in stride(from: 1, to: bytes.count, by: 37) {
            #expect(try problem([Array(bytes.prefix(length))]) != nil, "\(length) bytes")
        }
    }

    @Test("A second stream behind the first, of one channel or two, and anything else behind the end")
    func chained() throws {
        for channelCount in [1, 2] {
            let other = Self.pages(of: try Self.opus(in: folder, channelCount: channelCount))
            #expect(try problem(pages + other)?.hasSuffix("it holds more than one stream") == true)
        }
        #expect(try problem(pages + [[0, 1, 2]])?.contains("it holds no page after") == true)
    }

    @Test("Two streams whose pages take turns")
    func interleaved() throws {
        let other = Self.pages(of: try Self.opus(in: folder, channelCount: 2))
        let both = zip(pages, other).flatMap { [$0, $1] }
        #expect(try problem(both)?.hasSuffix("it holds more than one stream") == true)
    }

    @Test("A header that leaves out more than an encoder needs, or all")
    func skippedTooMuch() throws {
        for samples in [5761, 24_000, 65_535] {
            let header = Self.changed(pages[0], at: Self.skipped, Self.number(samples, 2))
            let problem = try problem([header] + pages.dropFirst())
            #expect(problem?.hasSuffix("its header leaves out the first \(samples / 48) ms") == true)
        }
        let header = Self.changed(pages[0], at: Self.skipped, Self.number(3840, 2))
        #expect(try problem([header] + pages.dropFirst()) == nil)
    }

    @Test("An end that lies behind the last packet, or long before it")
    func falseEnd() throws {
        for (position, isRefused) in [(192_000, true), (90_000, true), (0, true), (96_000, false)] {
            let last = Self.changed(try #require(pages.last), at: Self.position, Self.number(position, 8))
            #expect((try problem(pages.dropLast() + [last]) != nil) == isRefused, "\(position)")
        }
    }

    @Test("One without a packet of sound, and one that ends before it begins")
    func empty() throws {
        var tags = Self.changed(pages[1], at: 5, [4])
        #expect(try problem([pages[0], tags]) != nil)
        tags = pages[1]
        let short = Recording.tone(lasting: .milliseconds(20), sampleRate: 24_000).pcm16
        try folder.write(short, to: "short.opus", sampleRate: 24_000, format: SF_FORMAT_OGG | SF_FORMAT_OPUS)
        let pages = Self.pages(of: try folder.bytes(of: "short.opus"))
        try #require(pages.count == 3)
        let last = Self.changed(pages[2], at: Self.position, Self.number(312, 8))
        #expect(try problem([pages[0], pages[1], last])?.hasSuffix("it holds no sound") == true)
    }

    @Test("Files of other kinds are not looked at", arguments: ["", "Ogg", "RIFF....", "fLaC"])
    func otherKinds(content: String) throws {
        let path = try folder.write(content.utf8, to: "other")
        let error = #expect(throws: RecordingError.self) { try AudioFile(reading: path) }
        #expect(error?.reason.contains("Ogg") == false)
    }
}
