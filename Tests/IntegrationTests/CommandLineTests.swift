import Foundation
import SoundboxCore
import TestSupport
import Testing

@Suite("The commands that need no box", .timeLimit(.minutes(10)))
struct CommandLineTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("say answers each line of standard input with one line")
    func sayLines() async throws {
        let result = try await soundbox(
            "say", "--print", "reading", "--sounds", Products.sounds, input: "1005\n10500\n100010000\n0.06\n")
        #expect(result.code == 0)
        #expect(result.output == ["一千零五元", "一万零五百元", "一亿零一万元", "零点零六元"])
    }

    @Test("A line that is no amount is told by its number, answered with an empty line, and the others are read")
    func sayBadLine() async throws {
        let result = try await soundbox("say", "--sounds", Products.sounds, input: "1\nzwei\n3\n")
        #expect(result.code == 1)
        #expect(result.output == ["一元", "", "三元"])
        #expect(result.errors.count == 1)
        #expect(result.errors.first?.contains("line 2 \"zwei\"") == true)
    }

    @Test("--bare leaves the unit out")
    func sayBare() async throws {
        let result = try await soundbox("say", "1005.2", "--bare", "--sounds", Products.sounds)
        #expect(result.output == ["一千零五点二"])
    }

    @Test("--print segments and json show the recordings that are chosen")
    func saySegments() async throws {
        let segments = try await soundbox(
            "say", "123.45", "--channel", "alipay", "--print", "segments", "--sounds", Products.sounds)
        #expect(segments.output.count == 1)
        #expect(segments.output.first?.hasPrefix("[支付宝到账](160 ms)[一百][二十三][点四五元]  ") == true)
        let files = segments.output.first?.split(separator: " ").filter { $0.hasSuffix(".flac") }
        #expect(files?.count == 4 && files?.last == "dian3-si4-wu3-yuan2-end.flac")
        let json = try await soundbox(
            "say", "123.45", "--channel", "alipay", "--print", "json", "--sounds", Products.sounds)
        let value = try JSONValue(parsing: Array(json.output.joined().utf8))
        #expect(value["reading"]?.string == "一百二十三点四五元")
        #expect(value["text"]?.string == "支付宝到账,一百二十三点四五元")
    }

    @Test(
        "Bad usage is one line on standard error and code 64",
        arguments: [["say", "abc"], ["say", "1", "--currency", "XYZ"], ["volume", "101"], ["publish"], ["nonsense"]])
    func badUsage(arguments: [String]) async throws {
        let child = try ChildProcess([Products.soundbox] + arguments)
        #expect(try await child.exitStatus() == 64 << 8)
        #expect(try await child.errors.all().count == 1)
        #expect(try await child.output.all().isEmpty)
    }

    @Test(
        "Every command explains itself",
        arguments: [
            "run", "setup", "setup configure", "setup show", "setup export", "setup import", "setup reset", "doctor",
            "say", "publish", "status", "replay", "volume", "voice", "voice list", "voice check", "voice render",
            "voice compare",
            "board test audio", "board test panel", "voice synthesize", "voice new", "voice script", "voice import",
        ])
    func help(command: String) async throws {
        let child = try ChildProcess([Products.soundbox] + command.split(separator: " ").map(String.init) + ["--help"])
        #expect(try await child.exitStatus() == 0)
        #expect(try await child.output.all().contains { $0.hasPrefix("USAGE: soundbox \(command)") })
    }

    /// Two that are quickly read; `make check` looks at all of them in the same way.
    @Test("A voice of this house is checked and found in order, and one that lacks a recording is not")
    func voiceCheck() async throws {
        let folder = try TemporaryFolder()
        for voice in ["zh-HK", "vi-VN"] {
            try FileManager.default.copyItem(atPath: "\(Products.sounds)/\(voice)", toPath: folder.file(voice))
        }
        let sound = try await soundbox("voice", "check", "zh-HK", "vi-VN", "--sounds", folder.path)
        #expect(sound.code == 0)
        #expect(sound.errors == [])

        let lost = try #require(
            FileManager.default.contentsOfDirectory(atPath: folder.file("vi-VN")).first { $0.hasSuffix(".flac") })
        try FileManager.default.removeItem(atPath: folder.file("vi-VN/\(lost)"))
        let damaged = try await soundbox("voice", "check", "zh-HK", "vi-VN", "--sounds", folder.path)
        #expect(damaged.code != 0)
        #expect((damaged.output + damaged.errors).contains { $0.contains(lost) }, "\(damaged)")
    }

    @Test("An unknown voice is told with those there are")
    func unknownVoice() async throws {
        let result = try await soundbox("say", "1", "--voice", "tlh", "--sounds", Products.sounds)
        #expect(result.code == 1)
        #expect(result.errors.first?.contains("zh-CN") == true)
    }
}
