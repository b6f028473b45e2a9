import Glibc
import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxClips

@Suite("The helper, seen from the box", .timeLimit(.minutes(10)))
struct SpeakProgramTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let settings = ClipSettings(
        hosts: ["a.example", "*.b.example"].compactMap { HostRule($0) }, allowsPlainHTTP: true)
    private static let reference = ClipReference(
        url: "https://a.example/?token=secret", sha256: String(repeating: "0", count: 64), bytes: 500)

    /// Plays the helper.
    private func helper(_ script: String) async throws -> SpeakProgram {
        let file = try folder.write("#!/bin/sh\n\(script)\n", to: "script")
        // Another process writes it: a file that this one has open for writing cannot be run, and a child of another test
        // may have it open.
        try await ChildProcess.run("install", "-m", "755", file, folder.file("helper"))
        return SpeakProgram(path: folder.file("helper"))
    }

    private func reason(_ ask: () async throws -> Void) async -> String? {
        do { try await ask() } catch let error as ClipError { return error.reason } catch { return "\(error)" }
        return nil
    }

    @Test("Without it clips and texts are refused with the name of its package, and a box that finds it there speaks")
    func missing() async throws {
        let program = SpeakProgram(path: folder.file("helper"))
        let advice = "install the package soundbox-speak"
        #expect(program.problem == advice)
        #expect(await reason { _ = try await program.fetch(Self.reference, Self.settings) } == advice)
        #expect(await reason { _ = try await program.decode([0], longest: .seconds(1)) } == advice)
        await #expect(throws: SpeechSynthesisError.unavailable(reason: advice)) {
            try await HelperSynthesizer(program).speech(of: "hello", in: "en-US")
        }
        #expect(try await helper("exit 1").problem == nil)
        #expect(chmod(folder.file("helper"), 0o644) == 0)
        #expect(program.problem?.hasSuffix("may not be run; restart the box: systemctl restart soundbox") == true)
    }

    @Test("It is asked for what the configuration allows; the address, which may hold a secret, is no argument of it")
    func arguments() async throws {
        let program = try await helper("echo \"$@ <$(cat)>\" >&2; exit 1")
        #expect(
            await reason { _ = try await program.fetch(Self.reference, Self.settings) }
                == "fetch --max-bytes 500 --timeout 10000 --plain-http --host a.example --host *.b.example "
                + "<https://a.example/?token=secret>")
        #expect(
            await reason { _ = try await program.decode(Array("x".utf8), longest: .seconds(30)) }
                == "decode --max-duration 30000 <x>")
        await #expect(throws: SpeechSynthesisError.failed(reason: "text --locale zh-CN <三号桌>")) {
            try await HelperSynthesizer(program).speech(of: "三号桌", in: "zh-CN")
        }
    }

    @Test("It is believed samples and a line of text, and nothing else")
    func disbelieved() async throws {
        for script in ["echo no sound", "printf 'RIFF0000WAVE'", "exit 0"] {
            let program = try await helper(script)
            #expect(
                await reason { _ = try await program.decode([0], longest: .seconds(1)) }
                    == "soundbox-speak gave something that is no sound")
        }
        let painter = try await helper("printf 'c\\na\\033[31mb\\n' >&2; exit 1")
        #expect(await reason { _ = try await painter.decode([0], longest: .seconds(1)) } == "a\\u{1b}[31mb")
        let flood = try await helper("while :; do echo flood; done")
        #expect(
            await reason { _ = try await flood.fetch(Self.reference, Self.settings) } == "it is larger than 500 bytes")
        let dead = try await helper("kill -31 $$")
        #expect(
            await reason { _ = try await dead.decode([0], longest: .seconds(1)) }
                == "soundbox-speak was killed, signal 31")
        let mute = try await helper("exit 3")
        #expect(
            await reason { _ = try await mute.decode([0], longest: .seconds(1)) } == "soundbox-speak ended with code 3")
    }

    @Test("One that does not answer costs the configured time and no more")
    func slow() async throws {
        let program = try await helper("exec sleep 600")
        let settings = ClipSettings(hosts: Self.settings.hosts, timeout: .milliseconds(200))
        let answer = await reason { _ = try await program.fetch(Self.reference, settings) }
        #expect(answer == "it did not come within 0.2 seconds")
    }

    @Test("A text is spoken once for all who ask for it; one that nobody waits for any more is not made")
    func texts() async throws {
        let sound = PCMSound(samples: [1, 2, 3], sampleRate: 8000)
        try folder.write(WAV.bytes(of: sound), to: "sound")
        let program = try await helper("echo asked >>\(folder.file("asked")); cat \(folder.file("sound"))")
        let synthesizer = HelperSynthesizer(program)
        for _ in 1...2 { #expect(try await synthesizer.speech(of: "hello", in: "en-US") == sound) }
        let given = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await synthesizer.speech(of: "Table three, please.", in: "en-US")
        }
        given.cancel()
        let result = await given.result
        #expect(throws: SpeechSynthesisError.failed(reason: "nobody waits for it any more")) { try result.get() }
        #expect(try folder.read("asked") == Array("asked\n".utf8))
    }

    @Test("The real one asks nobody on this machine, whatever the configuration says")
    func loopback() async throws {
        let server = try LoopbackServer(answer: "HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx")
        let settings = ClipSettings(
            hosts: [try #require(HostRule("localhost:\(server.port)"))], allowsPlainHTTP: true)
        let reference = ClipReference(url: "http://localhost:\(server.port)/", sha256: Self.reference.sha256)
        let answer = await reason { _ = try await SpeakProgram().fetch(reference, settings) }
        #expect(answer?.contains("not on the public Internet") == true, "\(answer ?? "fetched")")
    }
}
