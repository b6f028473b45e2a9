import CSndFile
import Glibc
import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxVoice

@Suite("WAV files that are wrong in their chunks")
struct RIFFChunksTests {
    private let folder: TestSupport.TemporaryFolder

    init() throws { folder = try TestSupport.TemporaryFolder() }

    private static func chunk(_ name: String, _ content: [UInt8], claiming size: UInt32? = nil) -> [UInt8] {
        let size = size ?? UInt32(content.count)
        return Array(name.utf8) + (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) } + content
    }

    private static let format = chunk("fmt ", [1, 0, 1, 0, 0x22, 0x56, 0, 0, 0x44, 0xAC, 0, 0, 2, 0, 16, 0])
    private static let sound = chunk("data", [1, 0, 2, 0])

    private func problem(_ chunks: [UInt8]) throws -> String? {
        try folder.write(Self.chunk("RIFF", Array("WAVE".utf8) + chunks), to: "a.wav")
        let file = open(folder.file("a.wav"), O_RDONLY)
        defer { close(file) }
        return RIFFChunks.problem(in: file)
    }

    @Test("A part of a list that claims almost 4 GiB is refused; libsndfile would read it for ever")
    func endlessList() throws {
        // Found by fuzzing.
        var bytes = Array("RIFF\0\0\0\0WAVELIST".utf8) + [20, 0, 0, 0] + Array("INFO".utf8)
        bytes += [0x4F, 0xB7, 0xBC, 0xB2, 0xAB, 0xF8, 0xFF, 0xFF, 0xFF, 0x61, 0x20, 0x74, 0x65, 0x78, 0x74, 0]
        bytes += [0x06, 0x66, 0x6D, 0x74, 0x20] + Self.format.dropFirst(4) + Array("data".utf8)
        bytes += [0x61, 0xA9, 0x87, 0xAC, 0xD1, 0xF6, 0x1B]
        try folder.write(bytes, to: "endless.wav")
        #expect(throws: RecordingError.self) { try AudioFile(reading: folder.file("endless.wav")) }
        let list = Self.chunk("LIST", Array("INFO".utf8) + Self.chunk("ISFT", [65, 0], claiming: 0xFFFF_FFF8))
        #expect(
            try problem(list + Self.format + Self.sound)
                == "its chunk \"ISFT\" claims 4294967288 bytes where 2 are left")
    }

    @Test("A chunk that reaches beyond the file is refused, except for the sound itself, which may have been cut off")
    func beyondTheFile() throws {
        #expect(try problem(Self.format + Self.sound) == nil)
        #expect(try problem(Self.format + Self.chunk("data", [1, 0], claiming: 0xFFFF_FFFF)) == nil)
        #expect(
            try problem(Self.chunk("bext", [], claiming: 90) + Self.format)
                == "its chunk \"bext\" claims 90 bytes where 24 are left")
    }

    @Test("After the end by the header anything may stand, except for a list that libsndfile would read for ever")
    func afterTheForm() throws {
        let whole = Self.chunk("RIFF", Array("WAVE".utf8) + Self.format + Self.sound)
        func problem(_ remains: [UInt8]) throws -> String? {
            try folder.write(whole + remains, to: "b.wav")
            let file = open(folder.file("b.wav"), O_RDONLY)
            defer { close(file) }
            return RIFFChunks.problem(in: file)
        }
        #expect(try problem(Array("abcdabcdabcd".utf8)) == nil)
        let part = Self.chunk("ISFT", [65, 0], claiming: 0xFFFF_FFF8)
        for list in [
            Self.chunk("LIST", Array("INFO".utf8) + part),
            Self.chunk("LIST", Array("INFO".utf8) + part, claiming: 0xFFFF_FFF8),
        ] {
            #expect(try problem(list) != nil)
        }
    }

    @Test("Chunks of odd length are followed by a byte that is in none; unknown chunks pass; a thousand are enough")
    func others() throws {
        #expect(try problem(Self.chunk("note", [7]) + [0] + Self.format + Self.sound) == nil)
        let many = (0..<1001).flatMap { _ in Self.chunk("junk", []) }
        #expect(try problem(many) == "it has more than 1000 chunks")
    }

    @Test("Lists within lists, however deep, end")
    func nested() throws {
        let depth = 100_000
        var lists: [UInt8] = []
        for level in 0..<depth {
            lists += Self.chunk("LIST", Array("INFO".utf8), claiming: UInt32(12 * (depth - level) - 8))
        }
        #expect(try problem(lists) == nil)
    }

    @Test("Files of other kinds are not looked at", arguments: ["", "RIF", "fLaC....", "OggS\0\0\0\0"])
    func otherKinds(content: String) throws {
        try folder.write(content, to: "other")
        let file = open(folder.file("other"), O_RDONLY)
        defer { close(file) }
        #expect(RIFFChunks.problem(in: file) == nil)
    }
}
