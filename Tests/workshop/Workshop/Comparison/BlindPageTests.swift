import Foundation
import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import TestSupport
import Testing
import VoiceTestSupport

@testable import SoundboxVoice
@testable import SoundboxWorkshop

@Suite("The page that compares old and new recordings, blind")
struct BlindPageTests {
    private let scratch: TestSupport.TemporaryFolder
    private let old: VoiceFolder
    private let new: VoiceFolder

    /// A voice whose recordings are tones: old ones of 400 Hz, new ones of 800 Hz.
    init() throws {
        scratch = try TestSupport.TemporaryFolder()
        old = try Self.voice(of: 400, in: "\(scratch.path)/old </script>")
        new = try Self.voice(of: 800, in: "\(scratch.path)/new")
    }

    private static func voice(of frequency: Double, in path: String) throws -> VoiceFolder {
        let directory = "\(path)/en"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let text = VoiceSkeleton.firstVoice("en").replacing("chime: chime", with: "")
        try text.write(toFile: "\(directory)/voice.yaml", atomically: true, encoding: .utf8)
        let folder = VoiceFolder(path: path)
        for entry in try folder.voice("en").recordings.entries {
            try AudioFile.writeFLAC(
                .tone(frequency, lasting: .milliseconds(80), sampleRate: 24_000),
                to: "\(directory)/\(entry.file).flac", isSynthesized: false)
        }
        return folder
    }

    private func page(_ amounts: [String]) async throws -> BlindPage {
        try await BlindPage(of: amounts.map { try Money($0, .CNY) }, by: "en", old: old, new: new)
    }

    /// What the page's script reads.
    private func data(_ page: BlindPage, seed: UInt64 = 1) throws -> JSONValue {
        var random = SeededGenerator(seed: seed)
        // As a browser finds it: up to the next end of an element.
        let data = try #require(
            page.html(using: &random).split(separator: "<script id=\"data\" type=\"application/json\">").last
        ).utf8.prefix { $0 != UInt8(ascii: "<") }
        return try JSONValue(parsing: Array(data))
    }

    /// Which recordings A has, by amount.
    private func order(_ page: BlindPage, seed: UInt64) throws -> [String] {
        try #require(try data(page, seed: seed)["pairs"]?.elements).map {
            try #require($0["sounds"]?.elements?.first?["recordings"]?.string)
        }
    }

    @Test("Each amount has the sound of either, as the box plays it")
    func sounds() async throws {
        let pairs = try #require(try data(try await page(["1", "23.4"]))["pairs"]?.elements)
        #expect(pairs.map { $0["amount"] } == [.string("1 CNY"), .string("23.4 CNY")])
        for (amount, pair) in zip(["1", "23.4"], pairs) {
            let sounds = try #require(pair["sounds"]?.elements)
            #expect(Set(sounds.compactMap { $0["recordings"]?.string }) == ["old", "new"] && sounds.count == 2)
            for sound in sounds {
                let voice = try (sound["recordings"] == .string("old") ? old : new).voice("en")
                let spoken = try await SpokenAmount(
                    try Money(amount, .CNY), channel: nil, by: voice, SpeechRenderer(voice: voice, loudspeaker: .full))
                #expect(sound["flac"] == .string(Base64.text(of: spoken.flac)))
            }
        }
    }

    @Test("Which of the two is A is drawn for each amount")
    func order() async throws {
        let page = try await page((1...16).map { "\($0)" })
        let order = try order(page, seed: 1)
        #expect(Set(order) == ["old", "new"])
        #expect(try self.order(page, seed: 1) == order)
        #expect(try self.order(page, seed: 2) != order)
    }

    @Test("The data names what was compared, with a sum over the files")
    func identity() async throws {
        let page = try await page(["1"])
        let data = try data(page)
        #expect(data["voice"] == .string("en"))
        for (name, folder) in [("old", old), ("new", new)] {
            let directory = "\(folder.path)/en"
            #expect(data[name]?["folder"] == .string(directory))
            let files = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
            let content = try files.flatMap { try SmallFile.content(of: "\(directory)/\($0)") }
            #expect(data[name]?["sum"] == .string(String(SHA256.hash(of: content).hexadecimal.prefix(12))))
        }
    }

    @Test("An amount that one of the two cannot say is left out, with the reason")
    func leftOut() async throws {
        let entry = try #require(try old.voice("en").recordings.entries.first { $0.text == "seven" })
        try FileManager.default.removeItem(atPath: "\(old.path)/en/\(entry.file).flac")
        let page = try await page(["7", "6"])
        #expect(page.pairs.map(\.money.amount.description) == ["6"])
        #expect(page.leftOut.count == 1)
        #expect(page.leftOut.first?.hasPrefix("7 CNY is left out: \(old.path)/en: ") == true, "\(page.leftOut)")
    }

    @Test("A voice that is in one folder only is an error that names the other one")
    func missingVoice() async throws {
        try FileManager.default.moveItem(atPath: "\(old.path)/en", toPath: "\(old.path)/fr")
        await #expect(throws: VoiceError.notFound(name: "en", directory: old.path, available: ["fr"])) {
            try await page(["6"])
        }
    }

    @Test("An amount that sounds the same from both is left out, and one that is named twice is there once")
    func same() async throws {
        let six = try #require(try old.voice("en").recordings.entries.first { $0.text == "six" }).file
        for entry in try new.voice("en").recordings.entries where entry.file != six {
            let file = "en/\(entry.file).flac"
            try FileManager.default.removeItem(atPath: "\(old.path)/\(file)")
            try FileManager.default.copyItem(atPath: "\(new.path)/\(file)", toPath: "\(old.path)/\(file)")
        }
        let page = try await page(["7", "6", "6.00"])
        #expect(page.pairs.map(\.money.amount.description) == ["6"])
        #expect(page.leftOut == ["7 CNY is left out: it sounds the same from both"])
    }

    @Test("A file that cannot be read is told by its name")
    func unreadable() async throws {
        let path = "\(old.path)/en/pipe"
        #expect(mkfifo(path, 0o600) == 0)
        let refusal = FileError(path: path, problem: "is no file, but a pipe or device")
        await #expect(throws: refusal) { try await page(["6"]) }
    }
}
