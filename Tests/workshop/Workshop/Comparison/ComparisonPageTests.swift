import Foundation
import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing
import VoiceTestSupport

@testable import SoundboxVoice
@testable import SoundboxWorkshop

@Suite("The page that compares voices")
struct ComparisonPageTests {
    private func page(
        _ amounts: [String], channel: String? = nil, in folder: VoiceFolder, _ locales: [String]
    ) async throws -> (html: String, data: JSONValue, comparison: VoiceComparison) {
        var comparison = VoiceComparison(of: try amounts.map { try Money($0, .CNY) }, channel: channel)
        for locale in locales { await comparison.add(locale, of: folder) }
        let html = ComparisonPage(comparison).html
        // As a browser finds it: up to the next end of an element.
        let data = try #require(html.split(separator: "<script id=\"data\" type=\"application/json\">").last)
            .utf8.prefix { $0 != UInt8(ascii: "<") }
        return (html, try JSONValue(parsing: Array(data)), comparison)
    }

    /// The voices of every amount.
    private func takes(_ data: JSONValue) throws -> [JSONValue] {
        try #require(data["amounts"]?.elements).flatMap { try #require($0["takes"]?.elements) }
    }

    private func spoken(_ comparison: VoiceComparison) throws -> [SpokenAmount] {
        try comparison.takes.joined().map { try $0.outcome.get() }
    }

    private let shipped = VoiceFolder(path: shippedSounds)

    @Test("Every voice and amount is on it, with its text, its wave and its recordings")
    func content() async throws {
        let (_, data, comparison) = try await page(
            ["123.45", "6"], channel: "alipay", in: shipped, ["en-US", "zh-CN"])
        #expect(comparison.spokenCount == 4 && comparison.problems.isEmpty)
        #expect(data["amounts"]?.elements?.map { $0["name"] } == [.string("123.45 CNY"), .string("6 CNY")])
        let takes = try takes(data)
        #expect(takes.map { $0["folder"]?.string } == ["en-US", "zh-CN", "en-US", "zh-CN"])
        #expect(takes[1]["text"] == .string("支付宝到账,一百二十三点四五元"))
        for (take, spoken) in zip(takes, try spoken(comparison)) {
            #expect(
                take["parts"]?.elements?.compactMap { $0["words"]?.string }
                    == spoken.parts.compactMap { $0.source?.words })
            #expect(
                take["parts"]?.elements?.compactMap { $0["number"]?.integer } == Array(1...spoken.recordingCount))
            let wave = try #require(take["wave"]?.elements).map { try #require($0.integer) }
            #expect(wave.map(abs).max() == 1000)
            // Two for each column.
            let columns = spoken.recording.samples.count * 220 / spoken.recording.sampleRate
            #expect(wave.count == 2 * columns)
            #expect((0..<columns).allSatisfy { wave[2 * $0] >= wave[2 * $0 + 1] })
        }
    }

    @Test("The sound in it is what the box plays, as a file of FLAC")
    func sound() async throws {
        let (_, data, comparison) = try await page(["6"], in: shipped, ["zh-CN"])
        let text = try #require(try takes(data)[0]["flac"]?.string)
        #expect(Data(base64Encoded: text).map(Array.init) == (try spoken(comparison)[0].flac))
    }

    @Test("A join has a wave for each two recordings that meet without a rest")
    func joins() async throws {
        let (_, data, comparison) = try await page(["123.45"], in: shipped, ["zh-CN"])
        let joins = try #require(try takes(data)[0]["joins"]?.elements)
        #expect(joins.count >= 2)
        #expect(joins.map { $0["part"]?.integer } == (try spoken(comparison)[0].joins.map(\.part)))
        #expect(joins.allSatisfy { ($0["wave"]?.elements?.count ?? 0) > 600 })
    }

    @Test("A voice that does not open, and an amount that one cannot say, stand on the page beside the others")
    func brokenVoice() async throws {
        let folder = try TestSupport.TemporaryFolder()
        for name in ["broken", "poor"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true)
        }
        try folder.write("locale: xx\n", to: "broken/voice.yaml")
        // No recordings at all.
        try folder.write(VoiceSkeleton.firstVoice("poor"), to: "poor/voice.yaml")
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/zh-CN", withDestinationPath: "\(shippedSounds)/zh-CN")
        let voices = VoiceFolder(path: folder.path)
        let (_, data, comparison) = try await page(["6"], in: voices, voices.names)
        #expect(comparison.problems.map { $0.folder } == ["broken"])
        #expect(comparison.spokenCount == 1)
        let failures = try takes(data).map { $0["failure"]?.string }
        #expect(failures.count == 3)
        #expect(failures[0]?.contains("broken/voice.yaml") == true)
        #expect(failures[1]?.contains("received.opus") == true)
        #expect(failures[2] == nil)
    }

    @Test(
        "What voices and callers write stays in the data",
        arguments: ["\"'></script><script>alert(1)</script>&", "<!--<script>", "<\u{338}/script>", "\"DATA\""])
    func hostile(text evil: String) async throws {
        let folder = try TestSupport.TemporaryFolder()
        try FileManager.default.createDirectory(atPath: "\(folder.path)/en", withIntermediateDirectories: true)
        let quoted = "'\(evil.replacing("'", with: "''"))'"
        let text = VoiceSkeleton.firstVoice("en").replacing("chime: chime", with: "")
            .replacing("name: en\n", with: "name: \(quoted)\n")
        try folder.write(text, to: "en/voice.yaml")
        let voices = VoiceFolder(path: folder.path)
        for entry in try voices.voice("en").recordings.entries {
            try AudioFile.writeFLAC(
                .tone(lasting: .milliseconds(80), sampleRate: 24_000), to: "\(folder.path)/en/\(entry.file).flac",
                isSynthesized: false)
        }
        let (html, data, comparison) = try await page(["6"], channel: evil, in: voices, ["en"])
        #expect(comparison.spokenCount == 1)
        #expect(try takes(data)[0]["language"] == .string(evil))
        #expect(data["introduction"]?.string?.contains(evil) == true)
        // Nothing but the data differs from the page of a voice without such a name.
        let elements = { (html: String) in html.utf8.count { $0 == UInt8(ascii: "<") } }
        #expect(elements(html) == elements(ComparisonPage(VoiceComparison(of: [], channel: nil)).html))
    }

    @Test("The page replaces one that was there, and a place where nothing can be written is named")
    func writing() async throws {
        let folder = try TestSupport.TemporaryFolder()
        let path = try folder.write("old", to: "page.html")
        let comparison = try await page(["6"], in: shipped, ["zh-CN"]).comparison
        try comparison.write(to: path)
        #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("<!doctype html>"))
        let error = #expect(throws: FileError.self) { try comparison.write(to: "\(folder.path)/missing/page.html") }
        #expect(error?.description.contains("missing/page.html") == true)
    }
}
