import TestSupport
import Testing

/// The neural synthesiser itself needs a model and voices that not every machine has. What stands in for it here keeps
/// its contract and speaks with espeak-ng; `make sounds` is the proof of the real one.
@Suite("Making the recordings of a voice with Kokoro", .timeLimit(.minutes(10)))
struct KokoroTests {
    private let folder: TemporaryFolder
    private let script = "\(Products.project)/provisioning/voices/kokoro/speak"

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(
            """
            recording_format: {sample_rate: 24000, loudness: -22}
            synthesis: {program: kokoro, voice: zf_nobody, phonemes: pinyin, speed: 1.1}
            recordings:
              - {file: one, text: 一, say: yi1}
              - {file: one-end, text: 一, say: yi1, pace: 0.5, ending: true}
            """, to: "trial.yaml")
    }

    /// - Parameter body: a shell's words; `$4` is the list of phrases, `$5` the folder for what is spoken.
    private func standIn(_ body: String) throws -> [String: String] {
        try folder.write("[ \"$1\" = check ] && exit 0\n\(body)\n", to: "speak")
        return ["SOUNDBOX_KOKORO": folder.file("speak")]
    }

    private static let speaking = #"""
        cp "$4" "$(dirname "$0")/phrases"
        python3 - "$4" "$5" <<'END'
        import json, subprocess, sys
        for line in open(sys.argv[1]):
            phrase = json.loads(line)
            words = str(round(150 * phrase["speed"]))
            subprocess.run(["espeak-ng", "-s", words, "-w", f"{sys.argv[2]}/{phrase['file']}.wav", phrase["say"]], check=True)
            print(phrase["file"], flush=True)
        END
        """#

    private func synthesize(_ environment: [String: String]) async throws -> CommandResult {
        let sounds = folder.file("sounds")
        try await ChildProcess.run("mkdir", "-p", "\(sounds)/en-US")
        // A whole language is needed for a voice; its recordings are another's.
        try await ChildProcess.run(
            "sh", "-c",
            """
            sed '/^recording_format/d; /^synthesis/d; /^chime:/d; /^recordings:/,$d' \(Products.sounds)/en-US/voice.yaml \
              > \(sounds)/en-US/voice.yaml && cat \(folder.file("trial.yaml")) >> \(sounds)/en-US/voice.yaml
            """)
        return try await voicetools("synthesize", "en-US", "--sounds", sounds, environment: environment)
    }

    @Test("Every phrase is told with its speed, spoken once, and a second run changes nothing")
    func twice() async throws {
        let environment = try standIn(Self.speaking)
        #expect(
            try await synthesize(environment)
                == CommandResult(
                    code: 0, output: ["en-US: 2 made, 0 unchanged, 0 removed, 0 by people left alone"], errors: []))
        let phrases = try String(decoding: folder.read("phrases"), as: UTF8.self).split(separator: "\n")
        #expect(
            phrases == [
                #"{"file":"one","say":"yi1","speed":1.1}"#, #"{"file":"one-end","say":"yi1","speed":0.55}"#,
            ])
        let again = try await synthesize(environment)
        #expect(again.output == ["en-US: 0 made, 2 unchanged, 0 removed, 0 by people left alone"])
    }

    @Test("One that fails half way says why, and changes no file")
    func failsHalfWay() async throws {
        #expect(try await synthesize(standIn(Self.speaking)).code == 0)
        let before = try await result(of: ["sh", "-c", "cat \(folder.file("sounds"))/en-US/*.opus | sha256sum"])
        let text = try String(decoding: folder.read("trial.yaml"), as: UTF8.self).replacing("yi1", with: "yi2")
        try folder.write(text, to: "trial.yaml")
        let failed = try await synthesize(standIn("echo one; echo 'kokoro: no room' >&2; exit 3"))
        #expect(failed.code == 1 && failed.errors.last?.contains("kokoro: no room") == true, "\(failed)")
        let after = try await result(of: ["sh", "-c", "cat \(folder.file("sounds"))/en-US/*.opus | sha256sum"])
        #expect(after == before)
    }

    @Test("A phrase that it left out is named, and changes no file")
    func leftOut() async throws {
        let body = Self.speaking.replacing("open(sys.argv[1])", with: "open(sys.argv[1]).readlines()[:1]")
        let failed = try await synthesize(standIn(body))
        #expect(failed.code == 1 && failed.errors.last?.contains("one-end") == true, "\(failed)")
        #expect(try folder.names(in: "sounds/en-US") == ["voice.yaml"])
    }

    @Test(
        "What is missing is told, with where it comes from",
        arguments: [
            ("zf_nobody", "there is no voice \"zf_nobody\"; voices.sha256 lists af_heart"),
            ("../af_heart", "\"../af_heart\" is no name of a voice"),
            ("af_heart", "af_heart.bin is missing; it is kokoro.js/voices/af_heart.bin of hexgrad/kokoro on GitHub"),
        ])
    func missing(voice: String, message: String) async throws {
        let told = try await result(
            of: ["bash", script, "check", voice, "english"],
            environment: ["SOUNDBOX_KOKORO_VOICES": folder.path, "SOUNDBOX_KOKORO_HOME": folder.file("home")])
        #expect(told.code == 1 && told.errors.count == 1 && told.errors.first?.contains(message) == true, "\(told)")
    }

    @Test("A voice file that is another one is refused before anything is installed")
    func otherVoice() async throws {
        try folder.write("not it", to: "af_heart.bin")
        let told = try await result(
            of: ["bash", script, "check", "af_heart", "english"],
            environment: ["SOUNDBOX_KOKORO_VOICES": folder.path, "SOUNDBOX_KOKORO_HOME": folder.file("home")])
        #expect(
            told.code == 1 && told.errors.first?.contains("is not the file that was expected (SHA-256 d583") == true)
    }
}
