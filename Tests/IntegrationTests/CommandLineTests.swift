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
        let files = segments.output.first?.split(separator: " ").filter { $0.hasSuffix(".opus") }
        #expect(files?.count == 4 && files?.last == "dian3-si4-wu3-yuan2-end.opus")
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
            "say", "publish", "status", "replay", "volume", "voice", "voice list", "voice try",
            "board test audio", "board test panel",
        ])
    func help(command: String) async throws {
        let child = try ChildProcess([Products.soundbox] + command.split(separator: " ").map(String.init) + ["--help"])
        #expect(try await child.exitStatus() == 0)
        #expect(try await child.output.all().contains { $0.hasPrefix("USAGE: soundbox \(command)") })
    }

    @Test(
        "What voice authors typed before is told where it went, with the code of a wrong command",
        arguments: ["new", "script", "import", "check", "render", "compare", "synthesize"])
    func moved(command: String) async throws {
        for arguments in [[], ["zh-CN", "--oracle"], ["--help"]] {
            let child = try ChildProcess([Products.soundbox, "voice", command] + arguments)
            #expect(try await child.exitStatus() == 64 << 8)
            #expect(
                try await child.errors.all() == [
                    "soundbox: `soundbox voice \(command)` is now `soundbox-voicetools \(command)`, in the package "
                        + "soundbox-voicetools. Try: soundbox --help"
                ])
        }
        #expect(try await !soundbox("voice", "--help").output.contains { $0.contains("  \(command)") })
    }

    @Test("An unknown voice is told with those there are")
    func unknownVoice() async throws {
        let result = try await soundbox("say", "1", "--voice", "tlh", "--sounds", Products.sounds)
        #expect(result.code == 1)
        #expect(result.errors.first?.contains("zh-CN") == true)
    }
}
