import Foundation
import SoundboxCore
import TestSupport
import Testing

@Suite("The program for people who make voices", .timeLimit(.minutes(10)))
struct VoiceToolsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("From nothing to a voice that is in order: new, script, import, check, render")
    func wholeWay() async throws {
        let sounds = folder.file("sounds")
        let begun = try await voicetools("new", "en-SG", "--sounds", sounds)
        #expect(begun.code == 0)
        let again = try await voicetools("new", "en-SG", "--sounds", sounds)
        #expect(again.code == 1 && again.errors.first?.contains("is there already") == true)
        // The placeholders are English, so they can be read aloud as they are.
        let script = try await voicetools("script", "en-SG", "--sounds", sounds)
        let phrases = script.output.compactMap {
            $0.firstMatch(of: /^ *\d+  (.*)   \[[a-z-]+\]$/).map { String($0.1) }
        }
        #expect(phrases.count == 50 && phrases.first == "zero" && phrases.last == "number")
        #expect(script.output.contains { $0.contains("full second") } && script.output.contains("Digits"))
        let take = try await read(phrases)

        let imported = try await voicetools("import", "en-SG", take, "--sounds", sounds)
        #expect(imported.code == 0, "\(imported.errors)")
        #expect(imported.output.last == "en-SG: 50 imported, 0 refused")
        let checked = try await voicetools("check", "en-SG", "--sounds", sounds)
        #expect(checked == CommandResult(code: 0, output: ["en-SG: 50 recordings, in order"], errors: []))
        let missing = try await voicetools("script", "en-SG", "--missing", "--sounds", sounds)
        #expect(missing.output.first == "en-SG, en-SG: 0 phrases to read aloud")
        let rendered = try await voicetools("render", "1005.20", "-o", folder.path, "--sounds", sounds)
        #expect(rendered.output == ["\(folder.path)/en-SG.wav: one zero zero five point two yuan"])

        let second = try await voicetools("import", "en-SG", take, "--sounds", sounds)
        #expect(second.code == 1 && second.output == [] && second.errors.first?.contains("--replace") == true)
        let replaced = try await voicetools("import", "en-SG", take, "--replace", "--sounds", sounds)
        #expect(replaced.code == 0)
    }

    @Test("A take that does not fit is one line with times, and writes nothing")
    func badTake() async throws {
        let sounds = folder.file("sounds")
        _ = try await voicetools("new", "en-SG", "--sounds", sounds)
        let result = try await voicetools("import", "en-SG", try await read(["one", "two"]), "--sounds", sounds)
        #expect(result.code == 1 && result.output == [] && result.errors.count == 1)
        #expect(result.errors.first?.contains("found 2 phrases, the first at 0:01.") == true)
        let partial = try await voicetools(
            "import", "en-SG", folder.file("take.wav"), "--partial", "--sounds", sounds)
        #expect(partial.code == 0 && partial.output.last == "en-SG: 2 imported, 0 refused, 48 not in the take")
    }

    @Test("--from takes over another voice, and one that is not there is told with those there are")
    func newFrom() async throws {
        let sounds = folder.file("sounds")
        _ = try await voicetools("new", "en-SG", "--sounds", sounds)
        let begun = try await voicetools("new", "en-IN", "--from", "en-SG", "--sounds", sounds)
        #expect(
            begun
                == CommandResult(
                    code: 0, output: ["\(sounds)/en-IN/voice.yaml: 50 phrases to translate and record"], errors: []))
        let list = try await soundbox("voice", "list", "--sounds", sounds)
        #expect(list.output == ["en-IN  en-IN  50 recordings", "en-SG  en-SG  50 recordings"])
        let unknown = try await voicetools("new", "en-AU", "--from", "tlh", "--sounds", sounds)
        #expect(unknown.code == 1 && unknown.errors.first?.contains("\"tlh\"") == true)
    }

    /// Two that are quickly read; `make check` looks at all of them in the same way.
    @Test("A voice of this house is checked and found in order, and one that lacks a recording or its list is not")
    func voiceCheck() async throws {
        let folder = try TemporaryFolder()
        for voice in ["zh-HK", "vi-VN"] {
            try FileManager.default.copyItem(atPath: "\(Products.sounds)/\(voice)", toPath: folder.file(voice))
        }
        let sound = try await voicetools("check", "zh-HK", "vi-VN", "--sounds", folder.path)
        #expect(sound.code == 0)
        #expect(sound.errors == [])

        let lost = try #require(
            FileManager.default.contentsOfDirectory(atPath: folder.file("vi-VN")).first { $0.hasSuffix(".opus") })
        try FileManager.default.removeItem(atPath: folder.file("vi-VN/\(lost)"))
        let damaged = try await voicetools("check", "zh-HK", "vi-VN", "--sounds", folder.path)
        #expect(damaged.code != 0)
        #expect((damaged.output + damaged.errors).contains { $0.contains(lost) }, "\(damaged)")

        // No voice to a box, so that nothing else would tell of it.
        try FileManager.default.removeItem(atPath: folder.file("vi-VN/voice.yaml"))
        let listless = try await voicetools("check", "--sounds", folder.path)
        #expect(listless.code != 0)
        #expect(listless.errors.contains { $0.contains("/vi-VN: recordings, and no voice.yaml") }, "\(listless)")
    }

    @Test("A voice whose numbers sound alike is refused by the check, and a box speaks with it all the same")
    func alike() async throws {
        let sounds = folder.file("sounds")
        _ = try await voicetools("new", "en-SG", "--sounds", sounds)
        let text = try String(decoding: folder.read("sounds/en-SG/voice.yaml"), as: UTF8.self)
        try folder.write(
            text.replacing("  10: << >>;\n", with: "  10: << zero;\n  100: << >>;\n"), to: "sounds/en-SG/voice.yaml")
        let checked = try await voicetools("check", "en-SG", "--sounds", sounds)
        #expect(checked.code == 1)
        #expect(
            checked.errors.contains {
                $0.hasPrefix("soundbox-voicetools: \(sounds)/en-SG/voice.yaml:")
                    && $0.hasSuffix(
                        ": numbers: rule \"10: << zero\": 11 and 10 are both read \"one zero\"; expected \">>\", "
                            + "or a rule for 11")
            }, "\(checked)")
        let said = try await soundbox("say", "11", "--voice", "en-SG", "--sounds", sounds)
        #expect(said == CommandResult(code: 0, output: ["one zero yuan"], errors: []))
    }

    @Test(
        "Every command explains itself",
        arguments: ["new", "script", "import", "check", "render", "compare", "synthesize"])
    func help(command: String) async throws {
        let child = try ChildProcess([Products.voicetools, command, "--help"])
        #expect(try await child.exitStatus() == 0)
        #expect(try await child.output.all().contains { $0.hasPrefix("USAGE: soundbox-voicetools \(command)") })
    }

    @Test("The report measures each amount, in columns and in JSON")
    func report() async throws {
        let table = try await voicetools(
            "check", "zh-HK", "--report", "1005", "0.01", "--sounds", Products.sounds)
        #expect(table.code == 0 && table.errors == [])
        #expect(table.output.count == 5 && table.output.last?.hasPrefix("mean ratio ") == true)
        #expect(table.output[2].hasSuffix("收到款項,一千零五元"))
        let json = try await voicetools("check", "zh-HK", "--report", "--json", "1", "--sounds", Products.sounds)
        let value = try JSONValue(parsing: Array(json.output.joined().utf8))
        guard case .array(let voices) = value, case .array(let amounts)? = voices.first?["amounts"] else {
            throw TestFailure("unexpected: \(json.output)")
        }
        #expect(
            amounts.count == 1 && (2...3).contains(amounts[0]["recordings"]?.integer ?? 0)
                && amounts[0]["rests_ms"]?.integer == 160)
    }

    @Test("Old and new recordings are compared on a page, and an amount that one cannot say is told and left out")
    func blindPage() async throws {
        let old = folder.file("old")
        try FileManager.default.createDirectory(atPath: old, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: "\(Products.sounds)/zh-HK", toPath: "\(old)/zh-HK")
        let page = folder.file("blind.html")
        // The page goes where a link leads.
        try folder.write("an older page", to: "blind.html")
        let link = folder.file("link.html")
        #expect(symlink("blind.html", link) == 0)
        let compare = { (amounts: [String]) in
            try await result(
                of: [Products.voicetools, "compare"] + amounts
                    + ["--voice", "zh-HK", "--against", old, "-o", link, "--sounds", Products.sounds])
        }
        let same = try await compare(["1"])
        #expect(same.code == 1 && same.errors.count == 2)
        #expect(same.errors.first?.hasSuffix("1 CNY is left out: it sounds the same from both") == true)

        let text = try String(decoding: folder.read("old/zh-HK/voice.yaml"), as: UTF8.self)
        // A longer rest before the amount is another sound.
        try folder.write(text.replacing("160ms", with: "400ms"), to: "old/zh-HK/voice.yaml")
        let written = try await compare(["1", "2.5"])
        #expect(written.code == 0 && written.errors == [])
        #expect(written.output.count == 1)
        #expect(written.output.first?.hasPrefix("\(link): 2 amounts from \(old)/zh-HK (") == true)

        try FileManager.default.removeItem(atPath: page)
        for name in try FileManager.default.contentsOfDirectory(atPath: "\(old)/zh-HK")
        where name.hasSuffix(".opus") {
            try FileManager.default.removeItem(atPath: "\(old)/zh-HK/\(name)")
        }
        let silent = try await compare(["1"])
        #expect(silent.code == 1 && silent.output == [])
        #expect(silent.errors.first?.contains("1 CNY is left out: \(old)/zh-HK: ") == true, "\(silent.errors)")
        #expect(!FileManager.default.fileExists(atPath: page))
    }

    @Test("Render makes its folder, one file for each amount and an index of what each of them says")
    func renderSeparately() async throws {
        try folder.write("# trial\n\n1005\r\n 0.06\n1005\n", to: "amounts.txt")
        let output = folder.file("deep/er")
        let result = try await voicetools(
            "render", "7", "--amounts", folder.file("amounts.txt"), "--separate", "--voice", "zh-CN",
            "--voice",
            "en-US", "-o", output, "--sounds", Products.sounds)
        #expect(
            result
                == CommandResult(
                    code: 0, output: ["\(output)/zh-CN: 3 of 3 amounts", "\(output)/en-US: 3 of 3 amounts"], errors: [])
        )
        let lines = try String(contentsOf: URL(fileURLWithPath: "\(output)/zh-CN/index.jsonl"), encoding: .utf8)
            .split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
        #expect(lines.map { $0["amount"]?.string } == ["7", "1005", "0.06"])
        #expect(lines[1]["currency"]?.string == "CNY" && lines[1]["text"]?.string == "收款到账,一千零五元")
        guard case .array(let segments)? = lines[1]["segments"] else { throw TestFailure("no segments: \(lines[1])") }
        #expect(segments.compactMap { $0["text"]?.string }.joined() == "收款到账一千零五元")
        #expect(segments.allSatisfy { $0["file"]?.string?.hasSuffix(".opus") == true || $0["pause_ms"] != nil })
        // Without chime, at the voice's own rate: longer than its words are is longer than two and a half seconds.
        let file = try #require(lines[1]["file"]?.string)
        let sound = try WAV(reading: "\(output)/zh-CN/\(file)")
        #expect(sound.sampleRate == 24_000 && (24_000..<72_000).contains(sound.samples.count))
    }

    @Test("An amount that a voice cannot say keeps none of the others from being rendered")
    func renderWithGap() async throws {
        let output = folder.file("out")
        let result = try await voicetools(
            "render", "1", "--currency", "CHE", "--separate", "--voice", "zh-CN", "-o", output, "--sounds",
            Products.sounds)
        #expect(result.code == 1 && result.output == ["\(output)/zh-CN: 0 of 1 amounts"])
        #expect(
            result.errors.count == 1 && result.errors[0].contains("zh-CN: amount \"1\": the voice has no unit word"))
    }

    @Test(
        "A list that holds something else is refused with its line, before anything is written",
        arguments: [
            ("1\n1,5\n", ":2: \"1,5\": expected plain digits"), ("# none\n", ": holds no amount; expected one"),
        ])
    func badList(text: String, problem: String) async throws {
        try folder.write(text, to: "amounts.txt")
        let output = folder.file("out")
        let result = try await voicetools(
            "render", "--amounts", folder.file("amounts.txt"), "-o", output, "--sounds", Products.sounds)
        #expect(result.code == 1 && result.errors.count == 1)
        #expect(result.errors.first?.contains(folder.file("amounts.txt") + problem) == true, "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: output))
    }

    @Test(
        "Bad usage is refused with code 64",
        arguments: [
            ["new", "../x"], ["new"], ["check", "1005"], ["check", "--json"], ["check", "--report", "1,5"],
            ["import", "zh-CN"], ["import", "zh-CN", "x.wav", "--pause", "1"],
            ["script", "zh-CN", "--missing", "--synthesized"], ["render", "-o", "x"], ["render", "1,5", "-o", "x"],
            ["compare", "1", "--against", "sounds", "-o", "x"],
        ])
    func badUsage(arguments: [String]) async throws {
        let child = try ChildProcess([Products.voicetools] + arguments)
        #expect(try await child.exitStatus() == 64 << 8)
        #expect(try await child.errors.all().count == 1)
    }

    /// Reads phrases aloud into one take, with a second of silence after each.
    private func read(_ phrases: [String]) async throws -> String {
        var samples = [Int16](repeating: 0, count: 22_050)
        for phrase in phrases {
            try await ChildProcess.run(
                "espeak-ng", "-v", "en", "-a", "60", "-w", folder.file("phrase.wav"), "--", phrase)
            samples += try WAV(reading: folder.file("phrase.wav")).samples
            samples += [Int16](repeating: 0, count: 22_050)
        }
        try folder.write(WAV.file(of: samples, sampleRate: 22_050), to: "take.wav")
        return folder.file("take.wav")
    }
}

extension WAV {
    /// A file of one channel and 16 bits.
    fileprivate static func file(of samples: [Int16], sampleRate: Int) -> [UInt8] {
        func bytes(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 0xFF) } }
        let size = samples.count * 2
        let header: [UInt8] =
            Array("RIFF".utf8) + bytes(size + 36, 4) + Array("WAVEfmt ".utf8) + bytes(16, 4) + bytes(1, 2) + bytes(1, 2)
            + bytes(sampleRate, 4) + bytes(sampleRate * 2, 4) + bytes(2, 2) + bytes(16, 2) + Array("data".utf8)
            + bytes(size, 4)
        return header + samples.flatMap { bytes(Int(UInt16(bitPattern: $0)), 2) }
    }
}
