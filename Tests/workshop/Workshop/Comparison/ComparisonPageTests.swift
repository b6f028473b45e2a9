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
    ) async throws -> (html: String, comparison: VoiceComparison) {
        var comparison = VoiceComparison(of: try amounts.map { try Money($0, .CNY) }, channel: channel)
        for locale in locales { await comparison.add(locale, of: folder) }
        return (ComparisonPage(comparison).html, comparison)
    }

    private let shipped = VoiceFolder(path: shippedSounds)

    @Test("Every voice and amount is on it, with its text, its wave, its recordings and its sound")
    func content() async throws {
        let (html, comparison) = try await page(["123.45", "6"], channel: "alipay", in: shipped, ["en-US", "zh-CN"])
        #expect(comparison.spokenCount == 4 && comparison.problems.isEmpty)
        #expect(html.matches(of: /<article>/).count == 4)
        #expect(html.contains("支付宝到账,一百二十三点四五元"))
        #expect(html.matches(of: /<audio controls/).count == 4)
        let recordings = comparison.takes.joined().reduce(0) { sum, take in
            if case .success(let spoken) = take.outcome { sum + spoken.recordingCount } else { sum }
        }
        #expect(html.matches(of: /<li value="/).count == recordings)
        #expect(html.matches(of: /<svg class="whole"/).count == 4)
        #expect(html.contains("<li value=\"1\">") && html.contains("LUFS"))
    }

    @Test("The sound in it is what the box plays, as a file of FLAC")
    func sound() async throws {
        let (html, comparison) = try await page(["6"], in: shipped, ["zh-CN"])
        let text = try #require(html.firstMatch(of: /data:audio\/flac;base64,([A-Za-z0-9+\/=]+)"/)).1
        let bytes = try #require(Data(base64Encoded: String(text)))
        guard case .success(let spoken) = comparison.takes[0][0].outcome else {
            Issue.record("\(comparison.takes[0][0].outcome)")
            return
        }
        #expect(Array(bytes) == spoken.flac)
    }

    @Test("A join is enlarged for each two recordings that meet without a rest")
    func joins() async throws {
        let (html, comparison) = try await page(["123.45"], in: shipped, ["zh-CN"])
        guard case .success(let spoken) = comparison.takes[0][0].outcome else {
            Issue.record("\(comparison.takes[0][0].outcome)")
            return
        }
        #expect(spoken.joins.count >= 2)
        #expect(html.matches(of: /<svg class="join"/).count == spoken.joins.count)
    }

    @Test("A voice that does not open, and an amount that one cannot say, stand on the page beside the others")
    func brokenVoice() async throws {
        let folder = try TestSupport.TemporaryFolder()
        for name in ["broken", "poor"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true)
        }
        try folder.write("locale: <b>xx\n", to: "broken/voice.yaml")
        // No recordings at all.
        try folder.write(VoiceSkeleton.firstVoice("poor"), to: "poor/voice.yaml")
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/zh-CN", withDestinationPath: "\(shippedSounds)/zh-CN")
        let voices = VoiceFolder(path: folder.path)
        let (html, comparison) = try await page(["6"], in: voices, voices.names)
        #expect(comparison.problems.map { $0.folder } == ["broken"])
        #expect(comparison.spokenCount == 1)
        #expect(html.matches(of: /<article>/).count == 3)
        #expect(html.matches(of: /<p class="failure">Not heard:/).count == 2)
        #expect(html.contains("broken/voice.yaml") && html.contains("received.flac"))
        #expect(!html.contains("<b>"))
    }

    @Test("What voices and callers write cannot become markup")
    func hostile() async throws {
        let folder = try TestSupport.TemporaryFolder()
        try FileManager.default.createDirectory(atPath: "\(folder.path)/en", withIntermediateDirectories: true)
        let evil = "\"'><script>alert(1)</script>&\u{202E}"
        let text = VoiceSkeleton.firstVoice("en").replacing("chime: chime", with: "")
            .replacing("name: en\n", with: "name: '\(evil.replacing("'", with: "''"))'\n")
            .replacing("text: received}", with: "text: '<i>received</i>'}")
            .replacing("\"received, {amount}\"", with: "'<i>received</i>, {amount}'")
            .replacing(", received, {amount}\"", with: ", <i>received</i>, {amount}\"")
        try folder.write(text, to: "en/voice.yaml")
        let voices = VoiceFolder(path: folder.path)
        let voice = try voices.voice("en")
        for entry in voice.recordings.entries {
            try AudioFile.writeFLAC(
                .tone(lasting: .milliseconds(80), sampleRate: 24_000), to: "\(folder.path)/en/\(entry.file).flac",
                isSynthesized: false)
        }
        let (html, comparison) = try await page(["6"], channel: evil, in: voices, ["en"])
        #expect(comparison.spokenCount == 1)
        #expect(html.contains("&lt;i&gt;received&lt;/i&gt;"))
        #expect(html.matches(of: /<script>/).count == 1)
        #expect(!html.contains("<i>") && !html.contains("\u{202E}"))
        #expect(!html.contains("\"'>"))
    }

    @Test("It loads nothing and runs nothing but its own style and script, by their hashes")
    func policy() async throws {
        let (html, _) = try await page(["6"], in: shipped, ["zh-CN"])
        #expect(html.contains("default-src 'none'; media-src data:; style-src 'sha256-"))
        #expect(!html.contains("unsafe"))
        // Styles in elements would be refused by the policy.
        #expect(!html.contains(" style=\"") && html.firstMatch(of: /\son[a-z]+="/) == nil)
        #expect(html.firstMatch(of: /(?:src|href)="(?!data:|#)/) == nil)
        #expect(!html.contains("http:") && !html.contains("https:"))
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

@Suite("Numbers and bytes in markup")
struct MarkupTests {
    @Test(
        "A number has as many decimals as asked for",
        arguments: [
            (0.0, 1, "0.0"), (-0.04, 1, "0.0"), (-0.06, 1, "-0.1"), (12.345, 2, "12.35"), (7, 0, "7"),
            (0.005, 2, "0.01"), (-.infinity, 1, "−∞"),
        ] as [(Double, Int, String)])
    func numbers(value: Double, digits: Int, expected: String) {
        #expect(Markup.number(value, digits) == expected)
    }

    @Test("Bytes are base64 as Foundation writes it, at every length")
    func base64() {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ count) }
            #expect(Markup.base64(bytes) == Data(bytes).base64EncodedString())
        }
    }

    @Test("Joiners of Indian scripts stay, and marks of direction are shown as missing")
    func format() {
        #expect(Markup.text("\u{0915}\u{094D}\u{200D}") == "\u{0915}\u{094D}\u{200D}")
        #expect(Markup.text("a\u{202E}b\u{0}c") == "a&#xFFFD;b&#xFFFD;c")
    }
}
